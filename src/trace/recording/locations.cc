#include "trace/recording/locations.h"

#include <fmt/format.h>

namespace foretell::recording {
namespace {

constexpr unsigned kFirstBits = 14;
constexpr StringId kAbsent{UINT32_MAX};

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

LocationTable::LocationTable(TraceTables& tables, const Modules& modules)
    : tables_(tables),
      modules_(modules),
      spaces_(modules.globals().size()),
      shift_(64 - kFirstBits),
      mask_((size_t{1} << kFirstBits) - 1),
      entries_(size_t{1} << kFirstBits) {}

std::string LocationTable::unused_space(std::string name) {
  auto taken = [&](std::string_view text) {
    // Strings are files and functions too; a name is only avoided more often than needed.
    return tables_.strings.find(text, kAbsent) != kAbsent;
  };
  if (!taken(name)) return name;
  for (uint64_t n = 2;; ++n) {
    std::string numbered = fmt::format("{}#{}", name, n);
    if (!taken(numbered)) return numbered;
  }
}

StringId LocationTable::space_of(const Global& global) {
  StringId& space = spaces_[static_cast<size_t>(&global - modules_.globals().data())];
  if (space != StringId{}) return space;
  space = tables_.strings.intern(global.name);
  if (used_spaces_.insert(space).second) return space;
  std::string longer = fmt::format("{} ({})", global.name, file_name(global.module));
  space = tables_.strings.intern(unused_space(std::move(longer)));
  used_spaces_.insert(space);
  return space;
}

Location LocationTable::make(uint64_t address, uint64_t size) {
  if (const Global* global = modules_.global_at(address)) {
    return {space_of(*global), address - global->address, size};
  }
  return {.offset = address, .size = size};
}

LocationId LocationTable::insert(uint64_t key) {
  const uint64_t size = key & ((uint64_t{1} << kSizeBits) - 1);
  const LocationId id = tables_.locations.intern(make(key >> kSizeBits, size));
  if (++count_ * 2 > entries_.size()) grow();
  size_t i = slot_of(key);
  while (entries_[i].key != 0) i = (i + 1) & mask_;
  entries_[i] = {key, id};
  return id;
}

void LocationTable::grow() {
  std::vector<Entry> old(entries_.size() * 2);
  old.swap(entries_);
  mask_ = entries_.size() - 1;
  --shift_;
  for (const Entry& entry : old) {
    if (entry.key == 0) continue;
    size_t i = slot_of(entry.key);
    while (entries_[i].key != 0) i = (i + 1) & mask_;
    entries_[i] = entry;
  }
}

}  // namespace foretell::recording
