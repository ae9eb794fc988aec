// SPDX-License-Identifier: Apache-2.0

#include "trace/recording/pc_sites.h"

#include <fmt/format.h>

#include "trace/recording/record_cursor.h"

namespace foretell::recording {
namespace {

struct PcSites {
  std::vector<uint32_t> numbers;
  std::vector<CodePlace> places;
};

Result<PcSites> find_pc_sites(const ChunkStreams& streams, const Modules& modules) {
  PcSites found;
  for (const ChunkStream& stream : streams.events()) {
    RecordCursor cursor(streams, stream, modules.site_ops());
    Record record{};
    uint64_t extensions[2] = {};
    for (;;) {
      const RecordCursor::Next next = cursor.next(record, extensions);
      if (next == RecordCursor::Next::failed) return std::unexpected(cursor.error());
      if (next == RecordCursor::Next::end) break;
      if (record.op() != Op::PcSite || record.value() > kMaxSite) continue;
      const auto [offset, module] = CodeOffset::of(extensions[0]);
      const auto& binaries = modules.binaries();
      found.numbers.push_back(static_cast<uint32_t>(record.value()));
      found.places.push_back({module < binaries.size() ? binaries[module] : "", offset});
    }
  }
  return found;
}

std::string place_name(const CodePlace& place) {
  std::string_view name = place.path;
  name = name.substr(name.rfind('/') + 1);
  return fmt::format("{}+{:#x}", name.empty() ? "?" : name, place.offset);
}

}  // namespace

Result<void> load_pc_sites(const ChunkStreams& streams, const Modules& modules, SiteTable& sites,
                           std::vector<Diagnostic>& warnings, std::string_view tool) {
  if (modules.binaries().empty()) return {};
  FORETELL_TRY(found, find_pc_sites(streams, modules));
  if (found.numbers.empty()) return {};
  auto answers = symbolize(found.places, tool);
  if (!answers) {
    warnings.push_back(Diagnostic{fmt::format("{} cannot be run, so sites of objects built with "
                                              "-fsanitize=thread are shown as module+offset",
                                              tool),
                                  ""}
                           .with_note(fmt::format("install the package {}", kSymbolizerPackage)));
    answers.emplace(found.places.size());
  }
  for (size_t i = 0; i < found.numbers.size(); ++i) {
    const SourcePlace& place = (*answers)[i];
    SiteText text{.function = sites.keep(place.function)};
    if (place.file.empty() || place.line == 0) {
      text.file = sites.keep(place_name(found.places[i]));
    } else {
      text.file = sites.keep(place.file);
      text.line = place.line;
      text.column = place.column;
    }
    text.flags = place.is_library ? kSiteLibrary : 0;
    sites.add_pc_site(found.numbers[i], text);
  }
  return {};
}

}  // namespace foretell::recording
