// SPDX-License-Identifier: Apache-2.0

// ParallelMerge: one order for the steps of threads that ran at once.
//
// The synchronizing steps are numbered and keep their order, each thread keeps its own, and an
// access of memory that is not contested (contested_memory.h) has its place by that alone. What
// remains is where to put racing accesses. The merge simulates the contested memory, and lets a
// thread go on over a read only if the memory holds what the read returned. Among several threads
// that can go on it prefers, in this order: those that touch nothing contested or read what is
// there; writes that some thread waits for; writes that take nothing away from the reads just ahead
// of other threads; everything else. That is a greedy choice and may end where no thread can go on
// without breaking a value (finding an order that breaks none is NP-hard). Then a read is taken as
// it stands, loses its value and is marked ambiguous.
//
// What is sound about this: call a read *certain* if the last write before it in the merged order
// has left the value that the read returned, or if its memory is not contested. What a thread does
// depends on nothing but what it reads and how its synchronization goes. So the merged order up to
// the first uncertain read of each thread is an execution of the program, possibly another than the
// one that ran: every thread reads the same values and therefore does the same. That is why two
// unordered writes of the same value need no mark: whichever of them the read is taken to return,
// the execution is one the program has, and predicting from it is as good as predicting from the
// one that ran. A read is ambiguous
//   - if its value was not recorded, or the bytes there are not known (the last write was of a
//     range, or there was none, and the value may come from another write than the initial one),
//     and its memory is contested;
//   - if it was taken although another value was there.
// After an ambiguous read the bytes it read count as unknown. Nobody may build on what an
// ambiguous read returned, nor on anything its thread did later (judge/judge.h).
//
// Memory: a few steps ahead of each thread, and the contested words.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "base/diagnostic.h"
#include "trace/recording/contested_memory.h"
#include "trace/recording/memory_access.h"
#include "trace/recording/record_cursor.h"
#include "trace/recording/simulated_memory.h"
#include "trace/recording/translator.h"

namespace foretell::recording {

class ParallelMerge {
 public:
  // All must outlive the merge, which begins at the first step.
  ParallelMerge(const ChunkStreams& streams, const ContestedMemory& contested,
                Translator& translator);

  // The next events; 0 at the end.
  Result<size_t> read(std::span<trace::Event> out);

  uint64_t event_count() const { return next_index_; }
  uint64_t ambiguous() const { return ambiguous_; }
  // The file before this offset is not needed any more.
  uint64_t first_offset() const;

 private:
  struct Step {
    Record record;
    uint64_t extensions[2];
    uint64_t number;  // its place among synchronizing steps, from 1; 0 if it is none
    MemoryAccess access;
    bool is_contested;
  };
  struct Lane {
    RecordCursor cursor;
    Translator::Thread* thread;
    uint64_t number = 0;  // of the next step read
    bool at_end = false;
    std::deque<Step> ahead = {};
  };
  // How well it suits to take the next step of a lane now, best first.
  enum class Rank : uint8_t {
    free,
    awaited_write,
    write,
    unknown_memory,
    harmful_write,
    stalled,
    out_of_turn,
    none,
  };

  static constexpr size_t kAhead = 64;

  Result<void> look_ahead(Lane& lane);
  Result<Lane*> choose();
  Rank rank(const Lane& lane) const;
  Rank rank_of_write(const Lane& lane, const MemoryAccess& write) const;
  bool is_read_certainly(const MemoryAccess& read) const;
  Result<void> take(Lane& lane, trace::Event& event);
  void simulate(const Step& step, trace::Event& event);

  const ContestedMemory& contested_;
  Translator& translator_;
  Diagnostic bad_thread_;  // a stream no thread can have
  std::vector<Lane> lanes_;
  size_t current_ = 0;        // lane
  uint64_t next_number_ = 0;  // of the next synchronizing step; 0: not known yet
  SimulatedMemory memory_;
  uint64_t next_index_ = 0;
  uint64_t ambiguous_ = 0;
};

}  // namespace foretell::recording
