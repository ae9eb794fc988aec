// What the runtime keeps about an object of the program, by its address.
//
// Open addressing over pointers to entries, so entries never move. Entries live as long as the
// process: an address that is used again finds the old entry, and initializing the object resets
// it. Not safe for several threads at once.
#pragma once

#include "os.h"

namespace foretell::rt {

template <class Entry>
class AddressTable {
 public:
  Entry* find(const void* address) const {
    if (!slots_) return nullptr;
    for (size_t at = place(address);; at = (at + 1) % size_) {
      if (slots_[at].address == address) return slots_[at].entry;
      if (!slots_[at].address) return nullptr;
    }
  }

  // Null only if there is no memory.
  Entry* find_or_add(const void* address) {
    if (Entry* found = find(address)) return found;
    if (count_ * 2 >= size_ && !grow()) return nullptr;
    auto* entry = static_cast<Entry*>(os::allocate_small(sizeof(Entry)));
    if (!entry) return nullptr;
    *entry = Entry();
    insert({address, entry});
    count_++;
    return entry;
  }

 private:
  struct Slot {
    const void* address;
    Entry* entry;
  };

  size_t place(const void* address) const {
    return (reinterpret_cast<uintptr_t>(address) * 0x9e3779b97f4a7c15 >> 20) % size_;
  }
  void insert(Slot slot) {
    size_t at = place(slot.address);
    while (slots_[at].address) at = (at + 1) % size_;
    slots_[at] = slot;
  }
  bool grow() {
    const size_t old_size = size_;
    Slot* old = slots_;
    const size_t size = old_size ? old_size * 2 : 256;
    auto* slots = static_cast<Slot*>(os::allocate(size * sizeof(Slot)));
    if (!slots) return false;
    slots_ = slots;
    size_ = size;
    for (size_t i = 0; i < old_size; i++) {
      if (old[i].address) insert(old[i]);
    }
    if (old) os::release(old, old_size * sizeof(Slot));
    return true;
  }

  Slot* slots_ = nullptr;
  size_t size_ = 0;
  size_t count_ = 0;
};

}  // namespace foretell::rt
