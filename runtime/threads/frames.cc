// SPDX-License-Identifier: Apache-2.0

#include "runtime/threads/frames.h"

#include "runtime/platform/os.h"
#include "runtime/threads/records.h"

namespace foretell::rt {
namespace {

using watching::kMostFrames;

constexpr size_t kSize = kMostFrames * sizeof(uint64_t);
// In a frame: it is recorded. The function that overwrites the frame clears it.
constexpr uint64_t kTold = uint64_t{1} << 63;

uint64_t& frame(const Thread* thread, uint64_t depth) {
  return thread->slots->frames[depth % kMostFrames];
}

// How many of the recorded frames are still there.
uint64_t still_there(const Thread* thread) {
  const uint64_t depth = thread->slots->depth;
  uint64_t same = depth < thread->told ? depth : thread->told;
  while (same > 0 && !(frame(thread, same - 1) & kTold)) same--;
  return same;
}

}  // namespace

bool begin_frames(Thread* thread) {
  // In the child of a fork they are those of the thread that called it.
  if (!thread->slots->frames) {
    thread->slots->frames = static_cast<uint64_t*>(os::allocate(kSize));
    thread->slots->depth = 0;
  }
  thread->told_frames = static_cast<uint64_t*>(os::allocate(kSize));
  thread->told = 0;
  if (thread->slots->frames && thread->told_frames) return true;
  end_frames(thread);
  return false;
}

void end_frames(Thread* thread) {
  if (thread->slots->frames) os::release(thread->slots->frames, kSize);
  if (thread->told_frames) os::release(thread->told_frames, kSize);
  thread->slots->frames = thread->told_frames = nullptr;
}

bool has_next_frame(const Thread* thread) {
  if (!thread->told_frames) return false;
  const uint64_t depth = thread->slots->depth;
  return thread->told != depth || (depth > 0 && !(frame(thread, depth - 1) & kTold));
}

void put_next_frame(Thread* thread) {
  if (still_there(thread) < thread->told) {
    const uint64_t left = thread->told_frames[--thread->told % kMostFrames];
    return put_compact(thread, static_cast<uint32_t>(left), recording::kExitBit);
  }
  uint64_t& entered = frame(thread, thread->told);
  thread->told_frames[thread->told++ % kMostFrames] = entered;
  const uint64_t call_site = entered >> 32;
  const auto site = static_cast<uint32_t>(entered);
  entered |= kTold;
  put_compact(thread, site, call_site);
}

uint64_t key_of_allocation(const Thread* thread, uint32_t site) {
  constexpr uint64_t kInnermost = 3;
  uint64_t hash = 0;
  const uint64_t depth = thread->told_frames ? thread->slots->depth : 0;
  for (uint64_t i = 0; i < kInnermost && i < depth; i++) {
    hash = (hash ^ (frame(thread, depth - 1 - i) & ~kTold)) * 0x9e3779b97f4a7c15;
  }
  constexpr unsigned kSiteBits = 64 - recording::kSiteShift;
  return hash >> 32 << kSiteBits | site;
}

}  // namespace foretell::rt
