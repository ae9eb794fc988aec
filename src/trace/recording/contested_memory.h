// SPDX-License-Identifier: Apache-2.0

// ContestedMemory: where the order of accesses in a parallel recording is not given by
// synchronization.
//
// Synchronizing steps of all threads are numbered in one order. What a thread does between two of
// them, a *segment*, happened at some time between their numbers a and b. Two segments (a, b) and
// (c, d) of different threads may have overlapped in time iff a < d and c < b; a synchronizing step
// that touches memory is a segment of one moment. Memory is contested if two segments that may have
// overlapped access it and one of them writes. Where it is not, the recording gives the order of
// all accesses.
//
// One walk over the segments in the order of their beginnings: of those seen before, the ones that
// end after the present one begins overlap with it, so it is enough to keep, per piece of memory,
// the latest end of any thread and the latest of any other thread. Memory is taken in pieces of 8
// bytes; ranges from a page on count for their whole pages, and from kHugeRange on for everything,
// which may call more memory contested than is, and never less.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstdint>

#include "base/diagnostic.h"
#include "trace/recording/chunk_streams.h"
#include "trace/recording/memory_access.h"

namespace foretell::recording {

class ContestedMemory {
 public:
  static Result<ContestedMemory> find(const ChunkStreams& streams, SiteTable& sites);

  bool contains(const MemoryAccess& access) const;

  // True if `access` may write contested memory, be it in an order that is known.
  bool may_change(const MemoryAccess& access) const {
    return access.writes && (access.size >= kPage || contains(access));
  }

  // True if no write of the whole recording can have left `access.read` there: a read that returns
  // it before anything is written there has read what was there when recording began.
  bool must_be_initial(const MemoryAccess& access) const;

 private:
  class Walk;

  static constexpr uint64_t kPage = 4096;
  static constexpr uint64_t kHugeRange = uint64_t{1} << 26;
  static constexpr size_t kMostValues = 256;

  // All writes of contested 8 bytes, as long as they have one address and size and known values.
  struct Writes {
    bool other = false;  // there are writes that do not fit here
    uint64_t address = 0, size = 0;
    absl::flat_hash_set<uint64_t> values;
  };

  void add_write(const MemoryAccess& access);

  absl::flat_hash_set<uint64_t> granules_;  // by address / 8
  absl::flat_hash_set<uint64_t> pages_;     // by address / kPage
  bool everything_ = false;
  absl::flat_hash_map<uint64_t, Writes> writes_;         // by address / 8
  absl::flat_hash_set<uint64_t> pages_of_range_writes_;  // of a page or more
  bool huge_writes_ = false;
};

}  // namespace foretell::recording
