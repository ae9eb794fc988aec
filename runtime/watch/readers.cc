// SPDX-License-Identifier: Apache-2.0

#include "runtime/watch/readers.h"

#include "runtime/platform/os.h"

namespace foretell::rt::watch {
namespace {

constexpr uint32_t kMostSets = 1 << 20;
constexpr uint32_t kMostEpochs = 1 << 24;  // of all sets together
constexpr uint32_t kPlaces = 2 * kMostSets;
constexpr uint32_t kCached = 1 << 12;

struct Set {
  uint32_t begin;  // of its epochs
  uint32_t count;
};

// What adding a reader led to.
struct Addition {
  uint32_t readers, last, epoch;
  uint32_t result;
};

// Reserved, and used from the beginning on.
struct Tables {
  Set sets[kMostSets];
  uint32_t epochs[kMostEpochs];
  uint32_t places[kPlaces];  // of sets, by the hash of what they hold
  Addition cache[kCached];
};
Tables* tables_ = nullptr;
uint32_t sets_ = 1;
uint32_t epochs_ = 0;

uint32_t hash_of(const uint32_t* epochs, uint32_t count) {
  uint64_t hash = count;
  for (uint32_t i = 0; i < count; i++) hash = (hash ^ epochs[i]) * 0x9e3779b97f4a7c15;
  return static_cast<uint32_t>(hash >> 32);
}

// The number of the set of the last `count` epochs, which become part of it if it is new.
uint32_t set_of_last(uint32_t count) {
  if (count == 0) return kNoReaders;
  const uint32_t* epochs = tables_->epochs + epochs_;
  for (uint32_t at = hash_of(epochs, count) % kPlaces;; at = (at + 1) % kPlaces) {
    const uint32_t number = tables_->places[at];
    if (number == 0) {
      tables_->places[at] = sets_;
      tables_->sets[sets_] = {epochs_, count};
      epochs_ += count;
      return sets_++;
    }
    const Set& set = tables_->sets[number];
    if (set.count != count) continue;
    uint32_t same = 0;
    while (same < count && tables_->epochs[set.begin + same] == epochs[same]) same++;
    if (same == count) return number;
  }
}

}  // namespace

bool add_reader(uint32_t& readers, uint32_t last, uint32_t epoch, const Clock& clock) {
  if (!tables_) tables_ = static_cast<Tables*>(os::allocate(sizeof(Tables)));
  if (!tables_) return false;
  Addition& cached = tables_->cache[(readers * 31 + last * 7 + epoch) % kCached];
  if (cached.readers == readers && cached.last == last && cached.epoch == epoch) {
    readers = cached.result;
    return true;
  }
  const Set old = readers == kNoReaders ? Set{} : tables_->sets[readers];
  if (sets_ == kMostSets || epochs_ + old.count + 1 > kMostEpochs) return false;
  uint32_t count = 0;
  const auto add = [&](uint32_t one) {
    if (clock.knows(one)) return;
    for (uint32_t i = 0; i < count; i++) {
      if (tables_->epochs[epochs_ + i] == one) return;
    }
    // In order, so that equal sets look the same.
    uint32_t at = count++;
    for (; at > 0 && tables_->epochs[epochs_ + at - 1] > one; at--) {
      tables_->epochs[epochs_ + at] = tables_->epochs[epochs_ + at - 1];
    }
    tables_->epochs[epochs_ + at] = one;
  };
  for (uint32_t i = 0; i < old.count; i++) add(tables_->epochs[old.begin + i]);
  add(last);
  const uint32_t result = set_of_last(count);
  cached = {readers, last, epoch, result};
  readers = result;
  return true;
}

bool knows_all(const Clock& clock, uint32_t readers) {
  if (readers == kNoReaders) return true;
  const Set set = tables_->sets[readers];
  for (uint32_t i = 0; i < set.count; i++) {
    if (!clock.knows(tables_->epochs[set.begin + i])) return false;
  }
  return true;
}

void forget_readers() {
  if (tables_) os::release(tables_, sizeof(Tables));
  tables_ = nullptr;
  sets_ = 1;
  epochs_ = 0;
}

}  // namespace foretell::rt::watch
