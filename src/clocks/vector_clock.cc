// SPDX-License-Identifier: Apache-2.0

#include "clocks/vector_clock.h"

#include <new>

namespace foretell::clocks {

VectorClock::Spine* VectorClock::new_spine(size_t count) {
  void* memory = ::operator new(sizeof(Spine) + count * sizeof(Chunk*));
  auto* spine = new (memory) Spine{.references = 1, .count = static_cast<uint32_t>(count)};
  std::fill_n(spine->chunks(), count, nullptr);
  return spine;
}

void VectorClock::drop(Chunk* chunk) {
  if (chunk && --chunk->references == 0) delete chunk;
}

void VectorClock::drop(Spine* spine) {
  if (--spine->references > 0) return;
  for (size_t i = 0; i < spine->count; ++i) drop(spine->chunks()[i]);
  ::operator delete(spine);
}

void VectorClock::assign(Chunk*& slot, Chunk* chunk) {
  if (chunk) ++chunk->references;
  drop(slot);
  slot = chunk;
}

// Afterwards the spine is ours alone and has at least `count` slots.
void VectorClock::own_spine(size_t count) {
  if (spine_ && spine_->references == 1 && spine_->count >= count) return;
  const size_t old_count = spine_ ? spine_->count : 0;
  Spine* mine = new_spine(std::max(count, old_count));
  for (size_t i = 0; i < old_count; ++i) assign(mine->chunks()[i], spine_->chunks()[i]);
  if (spine_) drop(spine_);
  spine_ = mine;
}

VectorClock::Chunk& VectorClock::own_chunk(size_t i) {
  own_spine(i + 1);
  Chunk*& chunk = spine_->chunks()[i];
  if (!chunk) {
    chunk = new Chunk;
  } else if (chunk->references > 1) {
    auto* mine = new Chunk(*chunk);
    mine->references = 1;
    --chunk->references;
    chunk = mine;
  }
  return *chunk;
}

Time& VectorClock::writable(ThreadId thread) {
  return own_chunk(to_index(thread) / kChunk).times[to_index(thread) % kChunk];
}

bool VectorClock::leq(const Chunk* a, const Chunk* b) {
  if (a == b || !a) return true;
  if (!b) return false;
  bool leq = true;
  for (size_t k = 0; k < kChunk; ++k) leq &= a->times[k] <= b->times[k];
  return leq;
}

bool VectorClock::leq(const Spine* a, const Spine* b) {
  if (a->count > b->count) return false;
  for (size_t i = 0; i < a->count; ++i) {
    if (!leq(a->chunks()[i], b->chunks()[i])) return false;
  }
  return true;
}

void VectorClock::adopt(Spine* other) {
  ++other->references;
  if (spine_) drop(spine_);
  spine_ = other;
}

void VectorClock::join_spine(Spine* other) {
  // Threads that leave one barrier, or take a lock after one another, end up with one spine.
  if (!spine_ || leq(spine_, other)) return adopt(other);
  for (size_t i = 0; i < other->count; ++i) {
    Chunk* theirs = other->chunks()[i];
    Chunk* ours = i < spine_->count ? spine_->chunks()[i] : nullptr;
    if (leq(theirs, ours)) continue;
    if (leq(ours, theirs)) {
      own_spine(i + 1);
      assign(spine_->chunks()[i], theirs);
      continue;
    }
    Chunk& mine = own_chunk(i);
    for (size_t k = 0; k < kChunk; ++k) mine.times[k] = std::max(mine.times[k], theirs->times[k]);
  }
}

bool VectorClock::leq(const VectorClock& other) const {
  if (!other.contains(head_)) return false;
  if (!spine_ || spine_ == other.spine_) return true;
  for (size_t i = 0; i < spine_->count; ++i) {
    const Chunk* ours = spine_->chunks()[i];
    const Chunk* theirs =
        other.spine_ && i < other.spine_->count ? other.spine_->chunks()[i] : nullptr;
    if (leq(ours, theirs)) continue;
    // Only what they keep beside the chunk can still have it.
    for (size_t k = 0; k < kChunk; ++k) {
      const ThreadId thread{static_cast<uint32_t>(i * kChunk + k)};
      if (ours->times[k] > other[thread]) return false;
    }
  }
  return true;
}

}  // namespace foretell::clocks
