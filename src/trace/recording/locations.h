// SPDX-License-Identifier: Apache-2.0

// LocationTable: the LocationId of an address range, by one look-up in a flat table.
//
// Memory inside a global variable is a range of a space of the variable's name, the stack of a
// thread but the first one a space of its own (libc gives the stack of a thread that has ended to
// another one, and that is other memory), all other memory a range of the address space. Two
// variables of one name are two spaces: the later one in address order carries the name of its
// source file too.
//
// The table is open-addressed and keyed by address and size in one word, because this look-up is
// most of what reading an access costs; sizes that do not fit take the way through TraceTables.
// Only the cache line of an address is hashed: neighbors in memory are neighbors in the table, so
// a program that walks an array does not miss the cache for every element.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <bit>
#include <cstdint>
#include <map>
#include <vector>

#include "base/ids.h"
#include "trace/recording/modules.h"
#include "trace/tables.h"

namespace foretell::recording {

class LocationTable {
 public:
  LocationTable(trace::TraceTables& tables, const Modules& modules);

  static constexpr unsigned kSizeBits = 16;
  static constexpr uint64_t kSizeMask = (uint64_t{1} << kSizeBits) - 1;

  // `size` is not 0.
  LocationId find(uint64_t address, uint64_t size) {
    if (size >> kSizeBits != 0) [[unlikely]]
      return tables_.locations.intern(make(address, size));
    return find(key_of(address, size));
  }

  static uint64_t key_of(uint64_t address, uint64_t size) { return address << kSizeBits | size; }
  LocationId find(uint64_t key) {
    for (size_t i = slot_of(key);; i = (i + 1) & mask_) {
      const Entry& entry = entries_[i];
      if (entry.key == key) [[likely]]
        return entry.id;
      if (entry.key == 0) return insert(key);
    }
  }

  // From here on this memory is the stack of the thread. Returns whether ids have changed.
  bool begin_stack(std::string_view thread, uint64_t address, uint64_t size);
  // Forgets stacks, for another pass; ids will be the same.
  void rewind();

  // The range as a row: of a global variable, or of the address space.
  trace::Location make(uint64_t address, uint64_t size);
  // The variable's space: its name, made unique.
  StringId space_of(const Global& global);
  // The variables that the program's image fills with zeros, of those that have a space.
  std::vector<trace::Location> zeroed() const;
  // A name that no space has yet.
  std::string unused_space(std::string name);

 private:
  struct Entry {
    uint64_t key = 0;  // 0: empty; no key has size 0
    LocationId id{};
  };
  size_t slot_of(uint64_t key) const {
    const uint64_t address = key >> kSizeBits;
    const uint64_t size = key & kSizeMask;
    const auto width = static_cast<unsigned>(std::bit_width(size >= 8 ? 8 : size | 1)) - 1;
    const uint64_t in_line = 63 >> width;  // places for accesses of this size in a line
    const size_t line = ((address >> 6 << 2 | width) * 0x9e3779b97f4a7c15) >> shift_;
    return (line & ~in_line) | (address >> width & in_line);
  }
  struct Stack {
    uint64_t size;
    StringId space;
    std::vector<uint64_t> keys;  // of entries in it
  };
  // The stack that holds the address, or null.
  Stack* stack_at(uint64_t address, uint64_t& begin);
  [[gnu::noinline]] LocationId insert(uint64_t key);
  Entry& entry_of(uint64_t key);
  void grow();

  trace::TraceTables& tables_;
  const Modules& modules_;
  std::vector<StringId> spaces_;  // by global; the empty string: not named yet
  absl::flat_hash_set<StringId> used_spaces_;
  unsigned shift_;
  size_t mask_;
  size_t count_ = 0;
  std::vector<Entry> entries_;
  std::map<uint64_t, Stack> stacks_;  // by address; they do not overlap
};

}  // namespace foretell::recording
