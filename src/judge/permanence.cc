// SPDX-License-Identifier: Apache-2.0

#include "judge/permanence.h"

#include <fmt/format.h>

#include <algorithm>

#include "judge/machine.h"

namespace foretell::judge {
namespace {

bool anybody_could_end(const TraceFacts& facts, const Goal& goal, Position stuck) {
  const trace::EventKind kind = facts.event(stuck).kind;
  return kind == trace::EventKind::SemaphoreWait || kind == trace::EventKind::BarrierExit ||
         goal.is_lost(stuck);
}

class Others {
 public:
  Others(const TraceFacts& facts, const Goal& goal, const Reordering& witness)
      : facts_(facts), stuck_(goal.events), machine_(facts, witness.recorded) {
    const std::span<const Position> steps = witness.steps;
    for (Position p : steps.first(steps.size() - goal.events.size())) machine_.apply(p);
  }

  void run_on() {
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t t = 0; t < facts_.events_of.size(); ++t) {
        while (may_run(t) && machine_.enabled(machine_.next_of(t))) {
          machine_.apply(machine_.next_of(t));
          moved = true;
        }
      }
    }
  }

  std::optional<std::string> why_not_all_stuck() const {
    std::vector<Position> all = stuck_;
    for (size_t t = 0; t < facts_.events_of.size(); ++t) {
      if (is_stuck(t) || !machine_.exists(t)) continue;
      if (!is_at_end(t)) {
        all.push_back(machine_.next_of(t));
      } else if (is_first_thread(t)) {
        return "the program may end before";
      }
    }
    for (Position p : all) {
      if (machine_.is_stuck(p, all)) continue;
      return fmt::format("{} may go another way than in the trace, and help",
                         described(facts_.trace, p));
    }
    return {};
  }

 private:
  bool is_stuck(size_t thread) const {
    return std::ranges::any_of(stuck_,
                               [&](Position p) { return facts_.thread_index(p) == thread; });
  }
  bool is_at_end(size_t thread) const {
    return machine_.progress()[thread] == facts_.events_of[thread].size();
  }
  bool may_run(size_t thread) const {
    return !is_stuck(thread) && machine_.exists(thread) && !is_at_end(thread);
  }
  // Nobody forks it, and it forks others.
  bool is_first_thread(size_t thread) const {
    return facts_.fork_of[thread] == kNoPosition &&
           std::ranges::any_of(facts_.events_of[thread], [&](Position p) {
             return facts_.event(p).kind == trace::EventKind::Fork;
           });
  }

  const TraceFacts& facts_;
  const std::vector<Position>& stuck_;
  Machine machine_;
};

}  // namespace

std::optional<std::string> why_not_permanent(const TraceFacts& facts, const Goal& goal,
                                             const Reordering& witness) {
  const bool anybody = std::ranges::any_of(
      goal.events, [&](Position p) { return anybody_could_end(facts, goal, p); });
  if (!anybody) return {};
  Others others(facts, goal, witness);
  others.run_on();
  return others.why_not_all_stuck();
}

}  // namespace foretell::judge
