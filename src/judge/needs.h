// SPDX-License-Identifier: Apache-2.0

// Needs: which events every reordering must contain that reaches a goal.
//
// Each thread contributes a prefix, so the answer is a limit per thread: the join of the clocks of
// what the goal names (judge/need_clocks.h). A stopped thread ends at its event of the goal; the
// locks it holds there stay held, so every other needed section of such a lock needs its end, as
// does one of a lock that is about to be acquired. An event at or after the end of a stopped thread
// can never be needed: then the goal is impossible.
//
// A read whose writer is not known (Event::kAmbiguous) needs no writer, but no witness may contain
// it either: ambiguous() then names it, and neither a witness nor a refusal can be had.
//
// O(threads x locks held at the goal), whatever the length of the trace.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judge/goal.h"
#include "judge/trace_facts.h"

namespace foretell::judge {

class Needs {
 public:
  // `goal` is settled (judge/goal.h).
  Needs(const TraceFacts& facts, const Goal& goal);

  // Adds `p` and what it needs. False if that contradicts the goal; then contradiction() says why.
  bool require(Position p);
  // Adds every event recorded before `p`.
  bool require_recorded(Position p);
  // Notes a contradiction found elsewhere; returns false.
  bool refuse(std::string reason);

  const std::optional<std::string>& contradiction() const { return contradiction_; }
  // A needed read whose writer is not known, or none.
  Position ambiguous() const;
  // By thread: how many of its first events are needed.
  const std::vector<uint32_t>& limits() const { return limits_; }
  // By thread: how many of its first events may happen.
  const std::vector<uint32_t>& ends() const { return ends_; }
  bool is_needed(Position p) const { return facts_.step[p] < limits_[facts_.thread_index(p)]; }
  bool may_happen(Position p) const { return facts_.step[p] < ends_[facts_.thread_index(p)]; }
  size_t count() const;
  // True if the section begun by `p` is needed, but not its end.
  bool is_open(Position p) const {
    return facts_.match[p] == kNoPosition || !is_needed(facts_.match[p]);
  }
  // A stopped thread's section of p's lock that never ends and excludes the one `p` begins, or
  // none.
  Position held_against(Position p) const;
  // A free that must not happen before the goal, or none.
  Position forbidden_free() const { return forbidden_free_; }
  // The begins of the sections that stopped threads are in.
  const std::vector<Position>& held() const { return held_; }

 private:
  void stop(size_t thread, uint32_t end);
  void add(Position p);
  void add_if_any(Position p);
  bool close();
  bool end_sections_against(Position mine);
  bool need_frees(const Goal& goal);
  std::string too_late(size_t thread) const;

  const TraceFacts& facts_;
  const char* end_word_;
  std::vector<uint32_t> limits_;  // by thread
  std::vector<uint32_t> ends_;    // by thread
  std::vector<uint32_t> stopped_;
  std::vector<Position> held_;
  std::vector<Position> meeting_;  // the acquires of a meeting
  Position forbidden_free_ = kNoPosition;
  std::optional<std::string> contradiction_;
};

}  // namespace foretell::judge
