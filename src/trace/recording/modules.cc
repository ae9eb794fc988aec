// SPDX-License-Identifier: Apache-2.0

#include "trace/recording/modules.h"

#include <algorithm>
#include <cstring>

namespace foretell::recording {
namespace {

template <class Row>
Row row_at(const std::vector<char>& bytes, size_t offset) {
  Row row;
  std::memcpy(&row, bytes.data() + offset, sizeof row);
  return row;
}

std::string_view string_at(std::string_view strings, uint32_t offset) {
  if (offset >= strings.size()) return {};
  const std::string_view rest = strings.substr(offset);
  return rest.substr(0, std::min(rest.find('\0'), rest.size()));
}

}  // namespace

Result<Modules> Modules::load(const ChunkStreams& streams) {
  Modules modules;
  for (uint64_t offset : streams.modules()) {
    FORETELL_TRY(payload, streams.payload(offset));
    auto& bytes = *modules.bytes_.emplace_back(
        std::make_unique<std::vector<char>>(payload.begin(), payload.end()));
    if (auto done = modules.add(bytes); !done) return std::unexpected(std::move(done).error());
  }
  std::ranges::sort(modules.sites_, {}, &Sites::first);
  modules.sort_globals();
  return modules;
}

Result<void> Modules::add(const std::vector<char>& bytes) {
  if (bytes.size() < sizeof(ModuleBlob)) return fail("a module of {} bytes", bytes.size());
  const auto blob = row_at<ModuleBlob>(bytes, 0);
  const uint64_t left = bytes.size() - sizeof blob;
  const uint64_t site_bytes = uint64_t{blob.site_count} * sizeof(SiteRow);
  if (blob.global_count > left / sizeof(GlobalRow) || blob.strings_size > left ||
      site_bytes + blob.global_count * sizeof(GlobalRow) + blob.strings_size > left) {
    return fail("a module is cut short");
  }
  if (blob.first_site > kMaxSite || blob.site_count > kMaxSite + 1 - blob.first_site) {
    return fail("a module claims the sites from {}, {} of them; there are at most {}",
                blob.first_site, blob.site_count, kMaxSite);
  }
  const size_t globals = sizeof blob + site_bytes;
  const size_t strings = globals + blob.global_count * sizeof(GlobalRow);
  const std::string_view text(bytes.data() + strings, blob.strings_size);
  if (blob.is_binary != 0) {
    binaries_.emplace_back(string_at(text, blob.name));
  } else {
    sites_.push_back({blob.first_site, blob.site_count, &bytes, text});
    if (site_ops_.size() < blob.first_site + blob.site_count) {
      site_ops_.resize(blob.first_site + blob.site_count, kNoOp);
    }
    for (uint32_t i = 0; i < blob.site_count; ++i) {
      const auto row = row_at<SiteRow>(bytes, sizeof blob + i * sizeof(SiteRow));
      site_ops_[blob.first_site + i] = static_cast<uint8_t>(op_of(row));
    }
  }
  add_globals(blob, bytes, globals, text);
  skipped_ += blob.skipped;
  repeated_ += blob.repeated;
  return {};
}

void Modules::add_globals(const ModuleBlob& blob, const std::vector<char>& bytes, size_t rows,
                          std::string_view strings) {
  for (uint64_t i = 0; i < blob.global_count; ++i) {
    const auto row = row_at<GlobalRow>(bytes, rows + i * sizeof(GlobalRow));
    Global global{row.address & kAddressMask,    row.size & kAddressMask,
                  string_at(strings, row.name),  string_at(strings, row.fields),
                  string_at(strings, blob.name), (row.size & kGlobalZeroed) != 0};
    if (global.size > 0 && !global.name.empty()) globals_.push_back(global);
  }
}

// An inline variable is registered by every object file that uses it, under one address.
void Modules::sort_globals() {
  // Where several claim an address, the module that was registered first has it.
  std::ranges::sort(globals_, {},
                    [](const Global& g) { return std::pair(g.address, g.name.data()); });
  const auto repeats = std::ranges::unique(globals_, {}, &Global::address);
  globals_.erase(repeats.begin(), repeats.end());
}

std::optional<SiteText> Modules::site(uint32_t number) const {
  auto it = std::ranges::upper_bound(sites_, number, {}, &Sites::first);
  if (it == sites_.begin()) return std::nullopt;
  --it;
  if (number - it->first >= it->count) return std::nullopt;
  const auto row =
      row_at<SiteRow>(*it->bytes, sizeof(ModuleBlob) + (number - it->first) * sizeof(SiteRow));
  return SiteText{string_at(it->strings, row.file),
                  string_at(it->strings, row.function),
                  string_at(it->strings, row.expression),
                  row.line,
                  row.column,
                  row.flags};
}

const Global* Modules::global_at(uint64_t address) const {
  auto it = std::ranges::upper_bound(globals_, address, {}, &Global::address);
  if (it == globals_.begin()) return nullptr;
  --it;
  return address - it->address < it->size ? &*it : nullptr;
}

}  // namespace foretell::recording
