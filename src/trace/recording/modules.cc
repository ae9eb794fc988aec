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
  for (uint64_t offset : streams.modules().offsets) {
    FORETELL_TRY(payload, streams.payload(offset));
    modules.bytes_.insert(modules.bytes_.end(), payload.begin(), payload.end());
  }
  if (auto done = modules.parse(); !done) return std::unexpected(std::move(done).error());
  return modules;
}

Result<void> Modules::parse() {
  size_t at = 0;
  while (bytes_.size() - at >= sizeof(ModuleBlob)) {
    const auto blob = row_at<ModuleBlob>(bytes_, at);
    if (blob.site_count == 0 && blob.global_count == 0 && blob.strings_size == 0) break;
    at += sizeof blob;
    const uint64_t left = bytes_.size() - at;
    const uint64_t site_bytes = uint64_t{blob.site_count} * sizeof(SiteRow);
    // A program killed while it registered a module leaves that module cut: it is the last one.
    if (blob.global_count > left / sizeof(GlobalRow) || blob.strings_size > left ||
        site_bytes + blob.global_count * sizeof(GlobalRow) + blob.strings_size > left) {
      break;
    }
    if (blob.first_site > kMaxSite || blob.site_count > kMaxSite + 1 - blob.first_site) {
      return fail("a module claims the sites from {}, {} of them; there are at most {}",
                  blob.first_site, blob.site_count, kMaxSite);
    }
    const size_t globals = at + site_bytes;
    const size_t strings = globals + blob.global_count * sizeof(GlobalRow);
    const std::string_view text(bytes_.data() + strings, blob.strings_size);
    if (blob.is_binary != 0) {
      binaries_.emplace_back(string_at(text, blob.name));
    } else {
      sites_.push_back({blob.first_site, blob.site_count, at, text});
    }
    add_globals(blob, globals, text);
    skipped_ += blob.skipped;
    repeated_ += blob.repeated;
    at = std::min<uint64_t>((strings + blob.strings_size + 7) / 8 * 8, bytes_.size());
  }
  std::ranges::sort(sites_, {}, [](const Sites& s) { return std::pair(s.first, s.rows); });
  sort_globals();
  return {};
}

void Modules::add_globals(const ModuleBlob& blob, size_t rows, std::string_view strings) {
  for (uint64_t i = 0; i < blob.global_count; ++i) {
    const auto row = row_at<GlobalRow>(bytes_, rows + i * sizeof(GlobalRow));
    Global global{row.address & Record::kAddressMask, row.size & Record::kAddressMask,
                  string_at(strings, row.name), string_at(strings, row.fields),
                  string_at(strings, blob.name)};
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
  const auto row = row_at<SiteRow>(bytes_, it->rows + (number - it->first) * sizeof(SiteRow));
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
