// SPDX-License-Identifier: Apache-2.0

// VectorClock: a map from threads to times (PREDICT, chapter 8), cheap to copy.
//
// A thread's clock is copied at every release and changes little between two copies: mostly its own
// component, sometimes a few others. So a clock is
//   head    one component kept beside the rest: a thread's own, raised without touching the rest;
//   spine   a reference-counted array of
//   chunks  reference-counted blocks of kChunk components.
// A component's value is the larger of what head and chunk say. Copying is two words; changing
// copies only the chunk it changes; joining adopts whole chunks and skips those already shared.
// Components beyond the spine, and missing chunks, are zero: a clock is as long as the threads it
// knows, and clocks of 10,000 threads that learn from each other share nearly all of their chunks.
//
// Components never decrease. The counts are not atomic: clocks belong to one analysis.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/ids.h"
#include "clocks/epoch.h"

namespace foretell::clocks {

class VectorClock {
 public:
  VectorClock() = default;
  explicit VectorClock(Epoch head) : head_(head) {}
  VectorClock(const VectorClock& other) : spine_(other.spine_), head_(other.head_) {
    if (spine_) ++spine_->references;
  }
  VectorClock(VectorClock&& other) noexcept
      : spine_(std::exchange(other.spine_, nullptr)), head_(std::exchange(other.head_, Epoch())) {}
  VectorClock& operator=(VectorClock other) noexcept {
    std::swap(spine_, other.spine_);
    std::swap(head_, other.head_);
    return *this;
  }
  ~VectorClock() {
    if (spine_) drop(spine_);
  }

  Time operator[](ThreadId thread) const {
    const size_t index = to_index(thread);
    Time time = 0;
    if (spine_ && index / kChunk < spine_->count) {
      const Chunk* chunk = spine_->chunks()[index / kChunk];
      if (chunk) time = chunk->times[index % kChunk];
    }
    return head_.thread() == thread ? std::max(time, head_.time()) : time;
  }

  bool is_zero() const { return !spine_ && head_.is_zero(); }

  // The component kept beside the rest. In a thread's clock, and in copies of it, the thread's own.
  Epoch head() const { return head_; }

  // e ⊑ this.
  bool contains(Epoch e) const { return e.time() <= (*this)[e.thread()]; }

  // inc_t, for the thread of the head.
  void increment_head() { head_ = head_.next(); }

  void raise(Epoch e) {
    if (e.thread() == head_.thread() || head_.is_zero()) {
      if (e.time() > head_.time()) head_ = e;
    } else if (!contains(e)) {
      writable(e.thread()) = e.time();
    }
  }

  // this := this ⊔ other.
  void join(const VectorClock& other) {
    if (other.spine_ && other.spine_ != spine_) join_spine(other.spine_);
    raise(other.head_);
  }

  // this ⊑ other.
  bool leq(const VectorClock& other) const;
  // Equal for certain, found out in constant time: a copy that nothing has changed since.
  bool is_copy_of(const VectorClock& other) const {
    return spine_ == other.spine_ && head_ == other.head_;
  }
  bool operator==(const VectorClock& other) const { return leq(other) && other.leq(*this); }

 private:
  static constexpr size_t kChunk = 32;

  struct Chunk {
    uint32_t references = 1;
    Time times[kChunk] = {};
  };
  // Followed in memory by `count` pointers, each null or counted.
  struct Spine {
    uint32_t references;
    uint32_t count;
    Chunk** chunks() { return reinterpret_cast<Chunk**>(this + 1); }
    Chunk* const* chunks() const { return reinterpret_cast<Chunk* const*>(this + 1); }
  };
  static_assert(sizeof(Spine) == 8);

  static Spine* new_spine(size_t count);
  static void drop(Spine* spine);
  static void drop(Chunk* chunk);
  static void assign(Chunk*& slot, Chunk* chunk);

  static bool leq(const Chunk* a, const Chunk* b);
  static bool leq(const Spine* a, const Spine* b);
  void adopt(Spine* other);
  void own_spine(size_t count);
  Chunk& own_chunk(size_t i);
  Time& writable(ThreadId thread);
  void join_spine(Spine* other);

  Spine* spine_ = nullptr;
  Epoch head_;
};
static_assert(sizeof(VectorClock) == 16);

}  // namespace foretell::clocks
