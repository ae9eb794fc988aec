// SPDX-License-Identifier: Apache-2.0

// One check for all accesses of a loop (contract: recording/hooks.h, pass/watched_loops.h).
//
// A loop touches neighbors, and what one granule's shadow says that of the next nearly always says
// too: the same threads were there in the same segments. What was found out about one word holds
// for an equal one, so it costs a load, a comparison and a store.
#include "recording/hooks.h"
#include "runtime/threads/thread.h"
#include "runtime/watch/watcher.h"

using namespace foretell::rt;

namespace {

namespace watching = foretell::watching;

// Granules of one access after the other.
class Sweep {
 public:
  Sweep(Thread& thread, bool writes)
      : watcher_(*thread.watcher),
        shadow_(thread.slots->shadow),
        mask_(thread.slots->shadow_mask),
        epoch_(watching::twice(watcher_.epoch())),
        writes_(writes) {}

  // False if a granule is to be recorded.
  bool touch(uint64_t begin, uint64_t end) {
    for (uint64_t at = begin & ~(watching::kGranule - 1); at < end; at += watching::kGranule) {
      uint64_t& word = *reinterpret_cast<uint64_t*>(shadow_ + (at & mask_));
      if (is_own(word)) continue;
      if (word == known_ && at < known_until_) {
        word = then_;
      } else if (!touch_slowly(at, word)) {
        return false;
      }
    }
    return true;
  }

 private:
  bool is_own(uint64_t word) const {
    return writes_ ? word == epoch_ : word >> 32 == epoch_ >> 32;
  }

  bool touch_slowly(uint64_t granule, uint64_t& word) {
    const uint64_t before = word;
    const auto how = writes_ ? watch::Touch::write : watch::Touch::read;
    if (watch::touch(watcher_, reinterpret_cast<void*>(granule), watching::kGranule, how)) {
      return false;
    }
    // Of more readers the word does not tell all; contended words have that bit as well.
    if (before & watching::kMoreReaders || word & watching::kMoreReaders) return true;
    known_ = before;
    then_ = word;
    known_until_ = before == 0 ? watch::fresh_until(granule) : ~uint64_t{0};
    return true;
  }

  watch::Watcher& watcher_;
  char* const shadow_;
  const uint64_t mask_;
  const uint64_t epoch_;
  const bool writes_;
  // What such a word becomes, in granules before that address.
  uint64_t known_ = 0, then_ = 0, known_until_ = 0;
};

}  // namespace

extern "C" uint32_t __foretell_watched_loop(const void* first, int64_t step, uint64_t rounds,
                                            uint32_t what) {
  Thread* thread = attached_thread;
  // Nothing of such accesses is recorded or watched, one by one neither.
  if (!active || !thread || thread->inside || thread->ignoring || !thread->watcher) return 1;
  if (rounds == 0) return 1;
  const uint64_t size = what >> watching::kSizeShift;
  const auto distance = static_cast<uint64_t>(step);
  const uint64_t length = step < 0 ? -distance : distance;
  auto at = reinterpret_cast<uint64_t>(first);
  Sweep sweep(*thread, what & watching::kWrites);
  if (length > size && length > watching::kGranule) {
    for (; rounds > 0; rounds--, at += distance) {
      if (!sweep.touch(at, at + size)) return 0;
    }
    return 1;
  }
  // The bytes follow each other, or no granule between them is left out.
  const uint64_t last = at + distance * (rounds - 1);
  return sweep.touch(step < 0 ? last : at, (step < 0 ? at : last) + size);
}
