// SPDX-License-Identifier: Apache-2.0

#include "trace/recording/locations.h"

#include <fmt/format.h>

#include <algorithm>

namespace foretell::recording {
namespace {

constexpr unsigned kFirstBits = 14;
constexpr StringId kAbsent{UINT32_MAX};

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

LocationTable::LocationTable(trace::TraceTables& tables, const Modules& modules)
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

std::vector<trace::Location> LocationTable::zeroed() const {
  std::vector<trace::Location> variables;
  for (size_t i = 0; i < spaces_.size(); ++i) {
    const Global& global = modules_.globals()[i];
    if (global.zeroed && spaces_[i] != StringId{}) {
      variables.push_back({.space = spaces_[i], .size = global.size});
    }
  }
  return variables;
}

LocationTable::Stack* LocationTable::stack_at(uint64_t address, uint64_t& begin) {
  auto it = stacks_.upper_bound(address);
  if (it == stacks_.begin()) return nullptr;
  --it;
  begin = it->first;
  return address - begin < it->second.size ? &it->second : nullptr;
}

trace::Location LocationTable::make(uint64_t address, uint64_t size) {
  if (const Global* global = modules_.global_at(address)) {
    return {space_of(*global), address - global->address, size};
  }
  uint64_t begin = 0;
  if (const Stack* stack = stack_at(address, begin)) return {stack->space, address - begin, size};
  return {.offset = address, .size = size};
}

bool LocationTable::begin_stack(std::string_view thread, uint64_t address, uint64_t size) {
  Stack fresh{size, tables_.strings.intern(fmt::format("{}'s stack", thread)), {}};
  auto it = stacks_.lower_bound(address);
  if (it != stacks_.begin() && address - std::prev(it)->first < std::prev(it)->second.size) --it;
  while (it != stacks_.end() && it->first < address + size) {
    fresh.keys.insert(fresh.keys.end(), it->second.keys.begin(), it->second.keys.end());
    it = stacks_.erase(it);
  }
  Stack& stack = stacks_[address] = std::move(fresh);
  std::erase_if(stack.keys, [&](uint64_t key) { return (key >> kSizeBits) - address >= size; });
  for (uint64_t key : stack.keys) {
    entry_of(key).id = tables_.locations.intern(make(key >> kSizeBits, key & kSizeMask));
  }
  return !stack.keys.empty();
}

void LocationTable::rewind() {
  stacks_.clear();
  count_ = 0;
  std::ranges::fill(entries_, Entry{});
}

LocationTable::Entry& LocationTable::entry_of(uint64_t key) {
  size_t i = slot_of(key);
  while (entries_[i].key != 0 && entries_[i].key != key) i = (i + 1) & mask_;
  return entries_[i];
}

LocationId LocationTable::insert(uint64_t key) {
  const LocationId id = tables_.locations.intern(make(key >> kSizeBits, key & kSizeMask));
  uint64_t begin = 0;
  if (Stack* stack = stack_at(key >> kSizeBits, begin)) stack->keys.push_back(key);
  if (++count_ * 2 > entries_.size()) grow();
  entry_of(key) = {key, id};
  return id;
}

void LocationTable::grow() {
  std::vector<Entry> old(entries_.size() * 2);
  old.swap(entries_);
  mask_ = entries_.size() - 1;
  --shift_;
  for (const Entry& entry : old) {
    if (entry.key == 0) continue;
    entry_of(entry.key) = entry;
  }
}

}  // namespace foretell::recording
