// SPDX-License-Identifier: Apache-2.0

#include "pipeline/judging.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/check.h"
#include "base/parallel.h"
#include "judge/permanence.h"
#include "judge/reordering.h"
#include "pipeline/witness_steps.h"

namespace foretell {
namespace {

// Of how many proposals it is found out what ordered their events.
constexpr size_t kWatchedRaces = 256;

Position position_of(const Trace& trace, const Proposal& proposal, const EventRef& e) {
  auto it = std::ranges::lower_bound(trace.events, e.index, {}, &Event::index);
  // An access may be several events, one for each cell.
  switch (proposal.kind) {
    case FindingKind::race:
    case FindingKind::nondeterminism:
      while (it->location() != proposal.location) ++it;
      break;
    case FindingKind::atomicity:  // not all of its events need to be about the location
      for (auto piece = it; piece != trace.events.end() && piece->index == e.index; ++piece) {
        if (is_access(e.kind) && piece->location() == proposal.location) it = piece;
      }
      break;
    case FindingKind::deadlock:
    case FindingKind::property:
      break;
  }
  CHECK(it->index == e.index);
  return static_cast<Position>(it - trace.events.begin());
}

// Whether the section that the intruder is about to begin ends before the block needs its lock, as
// far as the trace shows: nothing in it waits for the thread of the block, which stands before its
// own acquire.
bool can_end(const TraceFacts& facts, Position intruder, Position acquire) {
  const Position end = facts.match[intruder];
  if (end == kNoPosition) return false;
  const std::vector<Position>& events = facts.events_of[facts.thread_index(intruder)];
  for (uint32_t step = facts.step[intruder] + 1; step < facts.step[end]; ++step) {
    const Event& e = facts.event(events[step]);
    const bool waits = e.kind == EventKind::Join || e.kind == EventKind::WaitBegin ||
                       e.kind == EventKind::BarrierEnter || e.kind == EventKind::SemaphoreWait;
    const bool locks = e.kind == EventKind::Acquire || e.kind == EventKind::AcquireShared;
    if (waits || (locks && facts.locks.open_section(e.lock(), facts.thread_index(acquire),
                                                    facts.step[acquire]) != kNoPosition)) {
      return false;
    }
  }
  return true;
}

// Whether the intruder reads what the block is about to overwrite, if it reads what the block wrote
// first: under a lock that the block has yet to take, and that the intruder gives back before.
bool is_read_dirty(const TraceFacts& facts, Position first, Position intruder, Position last) {
  const Event& c = facts.event(intruder);
  if (!is_write(facts.event(first).kind) || !is_write(facts.event(last).kind)) return false;
  if (!is_read(c.kind) || is_write(c.kind) || facts.partner[intruder] == first) return false;
  if (facts.event(first).location() != c.location()) return false;
  bool found = false;
  const size_t thread = facts.thread_index(intruder), block = facts.thread_index(last);
  for (Position theirs : facts.locks.open_sections(thread, facts.step[intruder])) {
    const Position mine =
        facts.locks.open_section(facts.event(theirs).lock(), block, facts.step[last]);
    if (mine == kNoPosition || !can_meet(facts.event(theirs), facts.event(mine))) continue;
    if (facts.step[mine] < facts.step[first] || !can_end(facts, theirs, mine)) return false;
    found = true;
  }
  return found;
}

// What shows that a block is not atomic, the strongest first: the events in their order, all of
// them reading what they read in the trace; the same, but the last one reads what the intruder
// wrote; the intruder reads what the block wrote first, before the block can write again; the
// intruder's last event and the block's side by side, whatever they read; the acquires before them
// side by side.
std::vector<Goal> atomicity_goals(const Judge& judge, const Proposal& proposal,
                                  std::vector<Position> positions) {
  const TraceFacts& facts = judge.facts();
  const Position last = positions.back(), intruder = positions[positions.size() - 2];
  std::vector<Goal> goals = {Goal::order(positions)};
  const Event &e = facts.event(last), &c = facts.event(intruder);
  if (is_read(e.kind) && is_write(c.kind) && e.location() == c.location() &&
      facts.partner[last] != intruder) {
    goals.push_back({GoalKind::order, positions, LastRead::given, intruder});
  }
  if (positions.size() == 3 && is_read_dirty(facts, positions[0], intruder, last)) {
    goals.push_back({GoalKind::order, {positions[0], intruder}, LastRead::given, positions[0]});
  }
  // With more intruders than one, the earlier ones would have to happen as well.
  if (positions.size() == 3 && clash(c, e)) goals.push_back(Goal::race(intruder, last));
  if (!proposal.meeting.empty()) {
    const Position theirs = position_of(facts.trace, proposal, proposal.meeting[0]);
    const Position mine = position_of(facts.trace, proposal, proposal.meeting[1]);
    if (can_end(facts, theirs, mine)) goals.push_back(Goal::meeting(theirs, mine));
  }
  return goals;
}

// Reaching one of them is enough.
std::vector<Goal> goals_of(const Judge& judge, const Proposal& proposal) {
  std::vector<Position> positions;
  for (const EventRef& e : proposal.events) {
    positions.push_back(position_of(judge.facts().trace, proposal, e));
  }
  switch (proposal.kind) {
    case FindingKind::race:
      return {Goal::race(positions[0], positions[1])};
    case FindingKind::deadlock:
      return {Goal::deadlock(std::move(positions))};
    case FindingKind::nondeterminism:
      return {Goal::read_given(positions[0], positions.size() > 1 ? positions[1] : kNoPosition)};
    case FindingKind::atomicity:
      return atomicity_goals(judge, proposal, std::move(positions));
    case FindingKind::property:
      break;
  }
  return {Goal::order(std::move(positions))};
}

// The first goal that can be reached, with its judgement; else the last of those that are not
// refuted; else the first.
std::pair<Goal, Judgement> decide(const Judge& judge, const Proposal& proposal) {
  std::optional<std::pair<Goal, Judgement>> best;
  for (Goal& goal : goals_of(judge, proposal)) {
    Judgement judgement = judge.decide(goal);
    const bool found = judgement.outcome == JudgeOutcome::witness;
    if (!best || judgement.outcome != JudgeOutcome::impossible) {
      best.emplace(std::move(goal), std::move(judgement));
    }
    if (found) break;
  }
  return std::move(*best);
}

// Reorderings are interleavings. What only a weak memory order leaves unordered has no witness
// among them, and that refutes nothing.
bool has_weak_orders(const Trace& trace) {
  return std::ranges::any_of(trace.events, [](const Event& e) {
    return is_atomic_access(e.kind) &&
           !(is_read(e.kind) ? is_acquire(e.order) : is_release(e.order));
  });
}

// Whether the recorded run itself shows it: its events stand there in this order, and up to the
// last of them it is known to be correct.
bool is_in_recorded_run(const TraceFacts& facts, const Proposal& proposal) {
  std::vector<Position> events;
  for (const EventRef& e : proposal.events) {
    events.push_back(position_of(facts.trace, proposal, e));
  }
  const Reordering recorded{events.back() + 1, {}};
  return !check_witness(facts, Goal::order(std::move(events)), recorded);
}

// The recorded run up to the last event.
Witness recorded_witness(const Proposal& proposal) {
  const EventIndex last = proposal.events.back().index;
  return {to_index(last), {last}, {}};
}

Witness witness_of(const TraceFacts& facts, const Goal& goal, const Reordering& shown) {
  // The trace of an excerpt does not begin with event 0.
  const bool from_start = shown.recorded == 0 && !facts.is_excerpt();
  const uint64_t prefix = from_start ? 0 : to_index(facts.event(shown.recorded).index);
  return {prefix, input_steps(facts.trace, facts, goal, shown), {}};
}

}  // namespace

void judge_candidate(const Judge& judge, const Proposal& candidate, bool weak_orders,
                     Ruling& ruling) {
  const TraceFacts& facts = judge.facts();
  if (candidate.is_indirect && is_in_recorded_run(facts, candidate)) {
    ruling.settle(candidate, JudgeOutcome::witness, "");
    ruling.witness = recorded_witness(candidate);
    return;
  }
  auto [goal, judgement] = decide(judge, candidate);
  if (judgement.outcome == JudgeOutcome::impossible && weak_orders && ruling.is_race()) {
    judgement.outcome = JudgeOutcome::gave_up;
    judgement.reason =
        "no interleaving brings the two together, but no memory order keeps them apart either";
  }
  if (judgement.outcome == JudgeOutcome::witness && candidate.kind == FindingKind::deadlock) {
    if (auto why = why_not_permanent(facts, judgement.goal, judgement.witness)) {
      judgement.outcome = JudgeOutcome::gave_up;
      judgement.reason = std::move(*why);
    }
  }
  ruling.settle(candidate, judgement.outcome, std::move(judgement.reason));
  if (judgement.outcome != JudgeOutcome::witness) return;
  const Goal& settled = judgement.goal;
  if (candidate.kind == FindingKind::nondeterminism) {
    const Position write = facts.partner[goal.events.back()];
    if (write != kNoPosition) ruling.recorded_write = facts.event(write).index;
  }
  const Reordering shown = judge.minimized(settled, std::move(judgement.witness));
  ruling.witness = witness_of(facts, settled, shown);
}

void watch_order(std::span<Ruling* const> rulings, size_t& watched) {
  for (Ruling* ruling : rulings) {
    const bool hidden = ruling->witness && ruling->is_race();
    const auto& events = ruling->proposal.events;
    if ((!hidden && !ruling->is_refuted()) || events.size() < 2) continue;
    if (watched++ >= kWatchedRaces) return;
    const auto [first, last] = std::minmax(events[0].index, events[1].index);
    ruling->watch.emplace(first, last, !ruling->is_refuted());
  }
}

void watch_order(std::vector<Ruling>& rulings) {
  std::vector<Ruling*> all;
  for (Ruling& ruling : rulings) all.push_back(&ruling);
  size_t watched = 0;
  watch_order(all, watched);
}

void show_events(std::vector<Ruling>& rulings, std::span<const Event> events) {
  for (Ruling& ruling : rulings) {
    if (ruling.watch) ruling.watch->on_events(events);
  }
}

Result<void> for_each_batch(TraceStream& stream, std::string_view phase,
                            const ProgressFunction& progress,
                            const std::function<bool(std::span<const Event>)>& handle) {
  stream.restart();
  for (;;) {
    FORETELL_TRY(batch, stream.next());
    if (batch.empty() || !handle(batch)) return {};
    progress(phase, stream.progress());
  }
}

void judge_in_memory(const Trace& trace, std::vector<Ruling>& rulings,
                     const JudgingOptions& options) {
  const bool weak_orders = has_weak_orders(trace);
  const Judge judge(trace, options.judge);
  std::mutex progress_mutex;
  size_t done = 0;
  parallel_for(rulings.size(), options.jobs, [&](size_t i) {
    Ruling& ruling = rulings[i];
    if (ruling.is_judged() && !options.is_over()) {
      for (const Proposal& candidate : ruling.group->candidates) {
        if (!ruling.witness) judge_candidate(judge, candidate, weak_orders, ruling);
      }
    }
    const std::lock_guard lock(progress_mutex);
    options.progress("judge", static_cast<double>(++done) / static_cast<double>(rulings.size()));
  });
}

}  // namespace foretell
