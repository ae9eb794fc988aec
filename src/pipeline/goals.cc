// SPDX-License-Identifier: Apache-2.0

#include "pipeline/goals.h"

#include <algorithm>

#include "base/check.h"

namespace foretell::pipeline {

judge::Position position_of(const trace::Trace& trace, const finding::Proposal& proposal,
                            const finding::EventRef& e) {
  auto it = std::ranges::lower_bound(trace.events, e.index, {}, &trace::Event::index);
  switch (proposal.kind) {
    case finding::FindingKind::race:
    case finding::FindingKind::memory:
    case finding::FindingKind::nondeterminism:
      while (it->location() != proposal.location) ++it;
      break;
    case finding::FindingKind::atomicity:  // not all of its events need to be about the location
      for (auto piece = it; piece != trace.events.end() && piece->index == e.index; ++piece) {
        if (is_access(e.kind) && piece->location() == proposal.location) it = piece;
      }
      break;
    case finding::FindingKind::deadlock:
    case finding::FindingKind::property:
    case finding::FindingKind::misuse:
      break;
  }
  CHECK(it->index == e.index);
  return static_cast<judge::Position>(it - trace.events.begin());
}

namespace {

// Whether the section that the intruder is about to begin ends before the block needs its lock, as
// far as the trace shows: nothing in it waits for the thread of the block, which stands before its
// own acquire.
bool can_end(const judge::TraceFacts& facts, judge::Position intruder, judge::Position acquire) {
  const judge::Position end = facts.match[intruder];
  if (end == judge::kNoPosition) return false;
  const std::vector<judge::Position>& events = facts.events_of[facts.thread_index(intruder)];
  for (uint32_t step = facts.step[intruder] + 1; step < facts.step[end]; ++step) {
    const trace::Event& e = facts.event(events[step]);
    const bool waits = e.kind == trace::EventKind::Join || e.kind == trace::EventKind::WaitBegin ||
                       e.kind == trace::EventKind::BarrierEnter ||
                       e.kind == trace::EventKind::SemaphoreWait;
    const bool locks =
        e.kind == trace::EventKind::Acquire || e.kind == trace::EventKind::AcquireShared;
    if (waits || (locks && facts.locks.open_section(e.lock(), facts.thread_index(acquire),
                                                    facts.step[acquire]) != judge::kNoPosition)) {
      return false;
    }
  }
  return true;
}

// Whether the intruder reads what the block is about to overwrite, if it reads what the block wrote
// first: under a lock that the block has yet to take, and that the intruder gives back before.
bool is_read_dirty(const judge::TraceFacts& facts, judge::Position first, judge::Position intruder,
                   judge::Position last) {
  const trace::Event& c = facts.event(intruder);
  if (!is_write(facts.event(first).kind) || !is_write(facts.event(last).kind)) return false;
  if (!is_read(c.kind) || is_write(c.kind) || facts.partner[intruder] == first) return false;
  if (facts.event(first).location() != c.location()) return false;
  bool found = false;
  const size_t thread = facts.thread_index(intruder), block = facts.thread_index(last);
  for (judge::Position theirs : facts.locks.open_sections(thread, facts.step[intruder])) {
    const judge::Position mine =
        facts.locks.open_section(facts.event(theirs).lock(), block, facts.step[last]);
    if (mine == judge::kNoPosition || !can_meet(facts.event(theirs), facts.event(mine))) continue;
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
std::vector<judge::Goal> atomicity_goals(const judge::Judge& judge,
                                         const finding::Proposal& proposal,
                                         std::vector<judge::Position> positions) {
  const judge::TraceFacts& facts = judge.facts();
  const judge::Position last = positions.back(), intruder = positions[positions.size() - 2];
  std::vector<judge::Goal> goals = {judge::Goal::order(positions)};
  const trace::Event &e = facts.event(last), &c = facts.event(intruder);
  if (is_read(e.kind) && is_write(c.kind) && e.location() == c.location() &&
      facts.partner[last] != intruder) {
    goals.push_back({judge::GoalKind::order, positions, judge::LastRead::given, intruder});
  }
  if (positions.size() == 3 && is_read_dirty(facts, positions[0], intruder, last)) {
    goals.push_back(
        {judge::GoalKind::order, {positions[0], intruder}, judge::LastRead::given, positions[0]});
  }
  // With more intruders than one, the earlier ones would have to happen as well.
  if (positions.size() == 3 && clash(c, e)) goals.push_back(judge::Goal::race(intruder, last));
  if (!proposal.meeting.empty()) {
    const judge::Position theirs = position_of(facts.trace, proposal, proposal.meeting[0]);
    const judge::Position mine = position_of(facts.trace, proposal, proposal.meeting[1]);
    if (can_end(facts, theirs, mine)) goals.push_back(judge::Goal::meeting(theirs, mine));
  }
  return goals;
}

}  // namespace

std::vector<judge::Goal> goals_of(const judge::Judge& judge, const finding::Proposal& proposal) {
  std::vector<judge::Position> positions;
  for (const finding::EventRef& e : proposal.events) {
    positions.push_back(position_of(judge.facts().trace, proposal, e));
  }
  switch (proposal.kind) {
    case finding::FindingKind::race:
    case finding::FindingKind::memory:
      return {judge::Goal::race(positions[0], positions[1])};
    case finding::FindingKind::deadlock:
      return {judge::Goal::deadlock(std::move(positions))};
    case finding::FindingKind::nondeterminism:
      return {judge::Goal::read_given(positions[0],
                                      positions.size() > 1 ? positions[1] : judge::kNoPosition)};
    case finding::FindingKind::atomicity:
      return atomicity_goals(judge, proposal, std::move(positions));
    case finding::FindingKind::property:
    case finding::FindingKind::misuse:
      break;
  }
  return {judge::Goal::order(std::move(positions))};
}

}  // namespace foretell::pipeline
