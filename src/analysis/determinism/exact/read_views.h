// SPDX-License-Identifier: Apache-2.0

// read_views: which writes each read of a trace can see in a correct reordering.
//
// NONDET asks of every triplet of a read r, its writer w and another write c whether r can see c.
// Its graphs decide something slightly different (docs/papers.md); this decides the question of
// docs/semantics.md, "A read can see another write", and a value before all writes counts as one.
//
// For one read, the cheapest step first:
//   order    what must happen before r (judge/need_clocks.h) and what r must happen before leave of
//            the writes of each thread the last one that r needs and the ones r neither needs nor
//            is needed by. They are a range of a sorted list; the others are refuted unseen.
//   sections what the thread of r has read since it took the locks that r is under is as it was: no
//            write under such a lock comes in between, nor anything that needs one.
//   prefix   the recorded run, cut where all that r needs has happened and c is the last write. One
//            number per read decides this for all writes before it.
//   run      the recorded run, with r's thread stopped before the sections that r is in, and every
//            other thread where it cannot continue. Each write of the location that executes is
//            seen by r if r's thread can then continue to r: one run for all writes. The same once
//            more with r's thread stopped at r. A run ends when nothing was seen for a while.
//   judge    everything else, one by one, the nearest first.
// The first two refute and the next two confirm; only the judge can do both, and give up. What it
// costs grows with the events between the write and the read: of each read that much is spent on
// it, and some more from a pot that all reads share; writes that are left then count as given up.
//
// Cost: per read, the logarithm of the writes for each thread, then the runs, then what the judge
// costs for the pairs that are left.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "analysis/determinism/writes_by_thread.h"
#include "judge/judge.h"

namespace foretell::analysis {

struct SeenWrite {
  judge::Position writer = judge::kNoPosition;  // none: the value before all writes
  judge::JudgeOutcome outcome = judge::JudgeOutcome::gave_up;
};

struct ReadView {
  judge::Position read = judge::kNoPosition;
  judge::Position recorded = judge::kNoPosition;  // the write it saw
  std::vector<SeenWrite> others;                  // that it can see, or that the judge gave up on
};

// How the triplets were decided.
struct ViewCounts {
  uint64_t reads = 0, triplets = 0;
  uint64_t ordered = 0;  // refuted by clocks
  uint64_t prefix = 0, run = 0;
  uint64_t judged_possible = 0, judged_impossible = 0, gave_up = 0;
  uint64_t not_judged = 0;  // too far away
  uint64_t run_steps = 0;
  uint64_t judged_events = 0;  // that had to happen for what was judged, in all

  uint64_t feasible() const { return prefix + run + judged_possible; }
  ViewCounts& operator+=(const ViewCounts& more);
};

class ReadViews {
 public:
  // `pot` is in such events.
  explicit ReadViews(const judge::Judge& judge, uint64_t pot = ~uint64_t{0})
      : ReadViews(judge, std::make_shared<const WritesByThread>(judge.facts()), pot) {}
  ReadViews(const judge::Judge& judge, std::shared_ptr<const WritesByThread> writes, uint64_t pot);
  // From here on, until it is filled again.
  void fill_pot(uint64_t pot) { pot_ = pot; }

  // All of them; `read` is not ambiguous. `wanted` may leave out writers, which then are not
  // examined.
  ReadView of(judge::Position read) {
    return of(read, [](judge::Position) { return true; });
  }
  template <class Wanted>
  ReadView of(judge::Position read, Wanted&& wanted);
  // Only if all writes of the location that can come before the read must, the one it saw included.
  template <class Wanted>
  ReadView of_needed(judge::Position read, Wanted&& wanted);

  // An interleaving that ends with the read seeing that write, checked and cleaned up; nothing if
  // none is found.
  std::optional<judge::Reordering> witness(judge::Position read, judge::Position writer);

  const ViewCounts& counts() const { return counts_; }

  // Of a run in which nothing is seen.
  static constexpr judge::Position kMostRunSteps = 20'000;
  // Of what a thread has to do to get to its read again.
  static constexpr uint32_t kMostOfSections = 256;
  // In events that have to happen.
  static constexpr uint64_t kEffortPerRead = 1 << 10, kGivingUp = 20'000;

 private:
  // What the clocks leave of the writers of one read, in trace order, and what is known of it.
  void find_candidates(judge::Position read);
  void find_needs(judge::Position read);
  void refute_by_sections(judge::Position read);
  void confirm_by_prefix(judge::Position read);
  void confirm_by_run(judge::Position read, judge::Position start);
  // `is_asked` selects the writes that are examined; `on_seen` returns whether to continue. What
  // was run so far is in ran_.
  void run_from(judge::Position read, judge::Position start,
                const std::function<bool(judge::Position)>& is_asked,
                const std::function<bool(judge::Position)>& on_seen);
  judge::Position begin_of_sections(judge::Position read) const;
  uint64_t effort_of(judge::Position read, judge::Position writer) const;
  judge::JudgeOutcome judge_one(judge::Position read, judge::Position writer);
  // Whether every write of the location that can come before the read must, the one it saw included.
  bool comes_after_all_writes(judge::Position read) const;
  // How many events of the thread the read needs to be next.
  uint32_t needed_of(size_t thread) const;
  bool is_needed(judge::Position p) const {
    return facts_.step[p] < needed_of(facts_.thread_index(p));
  }
  void find_all_needs();
  // Decides what is left in open_.
  ReadView decide_open(judge::Position read);

  const judge::Judge& judge_;
  const judge::TraceFacts& facts_;
  const std::shared_ptr<const WritesByThread> writes_;
  uint64_t pot_;
  ViewCounts counts_;

  // Of the read being looked at.
  std::array<judge::Position, 3>
      needs_directly_{};  // its predecessor, allocation and last free, or none
  // Found only if something is left to decide, since they take time for each thread.
  std::vector<uint32_t> needs_;          // by thread: events needed for it to be next
  judge::Position horizon_ = 0;          // one more than the position of the last of these
  std::vector<judge::Position> needed_;  // the last needed write of each thread
  std::vector<judge::Position> open_;    // candidates
  std::vector<SeenWrite> decided_;       // those that were confirmed
  uint64_t effort_ = 0;                  // what it may spend
  std::vector<judge::Position> ran_;
};

template <class Wanted>
ReadView ReadViews::of(judge::Position read, Wanted&& wanted) {
  find_candidates(read);
  std::erase_if(open_, [&](judge::Position writer) { return !wanted(writer); });
  return decide_open(read);
}

template <class Wanted>
ReadView ReadViews::of_needed(judge::Position read, Wanted&& wanted) {
  // Nearly all reads have a write that may come before or after: that is soon seen.
  find_needs(read);
  if (!comes_after_all_writes(read)) {
    ++counts_.reads;
    return {read, facts_.partner[read], {}};
  }
  find_candidates(read);
  const judge::Position recorded = facts_.partner[read];
  const bool all_over = recorded != judge::kNoPosition && is_needed(recorded) &&
                        std::ranges::all_of(open_, [&](judge::Position c) {
                          return c != judge::kNoPosition && is_needed(c);
                        });
  std::erase_if(open_, [&](judge::Position writer) { return !all_over || !wanted(writer); });
  return decide_open(read);
}

}  // namespace foretell::analysis
