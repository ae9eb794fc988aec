// SPDX-License-Identifier: Apache-2.0

// One check for all accesses of a loop (contract: recording/hooks.h, pass/watched_loops.h).
//
// A loop touches neighbors, and what one granule's shadow says that of the next nearly always says
// too: the same threads were there in the same segments. What was found out about one word holds
// for an equal one, so it costs a load, a comparison and a store.
#include "recording/hooks.h"
#include "runtime/threads/records.h"
#include "runtime/threads/thread.h"
#include "runtime/watch/places.h"
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
        compared_(writes ? ~uint64_t{0} : ~uint64_t{0} << 32),
        writes_(writes) {}

  // False if a granule is to be recorded.
  bool touch(uint64_t begin, uint64_t end) {
    uint64_t at = begin & ~(watching::kGranule - 1);
    at += four_by_four(at, end);
    for (; at < end; at += watching::kGranule) {
      if (!touch_granule(at, word_at(at))) return false;
    }
    return true;
  }

  // The same of `size` bytes at begin, begin + step, ...
  bool touch_each(uint64_t begin, int64_t step, uint64_t rounds, uint64_t size) {
    const auto distance = static_cast<uint64_t>(step);
    const uint64_t within = begin % watching::kGranule;
    if (step % static_cast<int64_t>(watching::kGranule) == 0 &&
        within + size <= watching::kGranule) {
      return touch_granules(begin - within, distance, rounds);
    }
    for (uint64_t at = begin; rounds > 0; rounds--, at += distance) {
      if (!touch(at, at + size)) return false;
    }
    return true;
  }

 private:
  bool is_own(uint64_t word) const { return ((word ^ epoch_) & compared_) == 0; }

  uint64_t& word_at(uint64_t granule) const {
    return *reinterpret_cast<uint64_t*>(shadow_ + (granule & mask_));
  }

  __attribute__((always_inline)) bool touch_granule(uint64_t at, uint64_t& word) {
    if (is_own(word)) return true;
    if (word != known_ || at >= known_until_) return touch_slowly(at, word);
    word = then_;
    return true;
  }

  // Each `distance` from the one before.
  bool touch_granules(uint64_t at, uint64_t distance, uint64_t rounds) {
    for (; rounds >= 4; rounds -= 4, at += 4 * distance) {
      uint64_t* words[4];
      for (uint64_t i = 0; i < 4; i++) words[i] = &word_at(at + i * distance);
      const uint64_t differences =
          (*words[0] ^ epoch_) | (*words[1] ^ epoch_) | (*words[2] ^ epoch_) | (*words[3] ^ epoch_);
      if ((differences & compared_) == 0) continue;
      for (uint64_t i = 0; i < 4; i++) {
        if (!touch_granule(at + i * distance, *words[i])) return false;
      }
    }
    for (; rounds > 0; rounds--, at += distance) {
      if (!touch_granule(at, word_at(at))) return false;
    }
    return true;
  }

  // How many bytes from the beginning on are all the thread's own.
  uint64_t four_by_four(uint64_t begin, uint64_t end) const {
    constexpr uint64_t kFour = 4 * watching::kGranule;
    const auto* words = reinterpret_cast<const uint64_t*>(shadow_ + (begin & mask_));
    uint64_t done = 0;
    // (The end of the shadow has a page behind it, and nothing ends there: watch/shadow.h.)
    for (; begin + done + kFour <= end; done += kFour, words += 4) {
      const uint64_t differences =
          (words[0] ^ epoch_) | (words[1] ^ epoch_) | (words[2] ^ epoch_) | (words[3] ^ epoch_);
      if (differences & compared_) break;
    }
    return done;
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
  const uint64_t compared_;  // the half of the reader, or both
  const bool writes_;
  // What such a word becomes, in granules before that address.
  uint64_t known_ = 0, then_ = 0, known_until_ = 0;
};

// Loops that were checked, so that who runs the same loop over the same memory again in the same
// segment need not look at the granules: they have its epoch. If others were there since, they found
// out themselves that it was. New allocations begin new lives, and forget all.
struct Checked {
  uint64_t first, epoch, lives;
  uint64_t rounds, outer_rounds;
  int64_t step, outer_step;
  uint32_t what;

  bool operator==(const Checked&) const = default;
};
constexpr size_t kPlaces = 512;
Checked checked_[kPlaces];

size_t place_of(const Checked& one) {
  const uint64_t hash = (one.first ^ one.rounds << 48 ^ one.what) * 0x9e3779b97f4a7c15;
  return hash >> 55;
}

// Steps of a loop from one access to the next.
struct Stride {
  int64_t step;
  uint64_t rounds;

  uint64_t length() const {
    const auto distance = static_cast<uint64_t>(step);
    return step < 0 ? -distance : distance;
  }
};

// The accesses of the loop as one, if their bytes follow each other, or at least no granule between
// them is left out.
bool join(uint64_t& first, uint64_t& size, Stride& stride) {
  const uint64_t length = stride.length();
  if (length > size && length > watching::kGranule && stride.rounds > 1) return false;
  const uint64_t way = length * (stride.rounds - 1);
  if (stride.step < 0) first -= way;
  size += way;
  stride = {0, 1};
  return true;
}

}  // namespace

extern "C" uint32_t __foretell_watched_loop(const void* first, int64_t step, uint64_t rounds,
                                            int64_t outer_step, uint64_t outer_rounds,
                                            uint32_t what) {
  Thread* thread = attached_thread;
  // Nothing of such accesses is recorded or watched, one by one neither.
  if (!active || !thread || thread->inside || thread->ignoring || !thread->watcher) return 1;
  // What a declared block touches is recorded, and while the run is short everything.
  if (thread->watcher->blocks > 0 || records_all) return 0;
  if (rounds == 0 || outer_rounds == 0) return 1;
  auto begin = reinterpret_cast<uint64_t>(first);
  const Checked same{begin, thread->slots->epoch, watch::lives, rounds, outer_rounds,
                     step,  outer_step,           what};
  Checked& before = checked_[place_of(same)];
  if (before == same) return 1;
  uint64_t size = what >> watching::kSizeShift;
  Stride inner{step, rounds}, outer{outer_step, outer_rounds};
  if (!join(begin, size, inner) && join(begin, size, outer)) join(begin, size, inner);
  join(begin, size, outer);
  Sweep sweep(*thread, what & watching::kWrites);
  for (; outer.rounds > 0; outer.rounds--, begin += static_cast<uint64_t>(outer.step)) {
    if (!sweep.touch_each(begin, inner.step, inner.rounds, size)) return 0;
  }
  before = same;
  return 1;
}
