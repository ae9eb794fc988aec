#include "pipeline/judging.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/check.h"
#include "base/parallel.h"
#include "judge/permanence.h"
#include "judge/streaming_judge.h"
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

// The recorded run up to the last event.
Witness recorded_witness(const Proposal& proposal) {
  const EventIndex last = proposal.events.back().index;
  return {to_index(last), {last}, {}};
}

void judge(const Trace& trace, const Judge& judge, bool weak_orders, Ruling& ruling) {
  for (const Proposal& candidate : ruling.group->candidates) {
    if (candidate.is_indirect &&
        position_of(trace, candidate, candidate.events.back()) < judge.facts().sound_until) {
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
      if (auto why = why_not_permanent(judge.facts(), judgement.goal, judgement.witness)) {
        judgement.outcome = JudgeOutcome::gave_up;
        judgement.reason = std::move(*why);
      }
    }
    ruling.settle(candidate, judgement.outcome, std::move(judgement.reason));
    if (judgement.outcome != JudgeOutcome::witness) continue;
    const Goal& settled = judgement.goal;
    if (candidate.kind == FindingKind::nondeterminism) {
      const Position write = judge.facts().partner[goal.events.back()];
      if (write != kNoPosition) ruling.recorded_write = trace.events[write].index;
    }
    const Reordering shown = judge.minimised(settled, std::move(judgement.witness));
    const uint64_t prefix = shown.recorded > 0 ? to_index(trace.events[shown.recorded].index) : 0;
    ruling.witness = {prefix, input_steps(trace, judge.facts(), settled, shown), {}};
    return;
  }
}

// A deadlock that only acquires are part of.
bool is_over_locks(const Proposal& proposal) {
  return proposal.kind == FindingKind::deadlock && proposal.events.size() > 1 &&
         std::ranges::all_of(proposal.events, [](const EventRef& e) {
           return e.kind == EventKind::Acquire || e.kind == EventKind::AcquireShared;
         });
}

// The tails of streaming witnesses as steps of the input. The threads of their events and the
// folded operations between them were not kept by the judge, so the trace passes by once more; how
// it ordered the accesses is found out on the way.
Result<void> complete_tails(TraceStream& stream, std::vector<Ruling>& rulings,
                            const JudgingOptions& options) {
  struct Tail {
    Witness* witness;
    size_t last;      // steps that come last whatever their index
    bool is_blocked;  // and that do not happen
    std::vector<WitnessStep> steps;
    std::vector<size_t> by_index;  // of steps
    size_t next = 0;               // in by_index
  };
  std::vector<Tail> tails;
  uint64_t begin = UINT64_MAX;
  for (Ruling& ruling : rulings) {
    if (!ruling.witness) continue;
    const bool is_blocked = ruling.proposal.kind == FindingKind::deadlock;
    const bool all_last = ruling.is_race() || is_blocked;
    Tail& tail = tails.emplace_back(&*ruling.witness, all_last ? ruling.proposal.events.size() : 1,
                                    is_blocked);
    begin = std::min(begin, ruling.witness->prefix_end);
    for (EventIndex index : ruling.witness->steps) {
      tail.by_index.push_back(tail.steps.size());
      tail.steps.push_back({index, {}});
    }
    std::ranges::sort(tail.by_index, {}, [&](size_t i) { return tail.steps[i].index; });
  }
  if (tails.empty()) return {};
  watch_order(rulings);

  std::vector<Event> folded;
  stream.collect_folded(&folded);
  auto done = for_each_batch(stream, "judge", options.progress, [&](std::span<const Event> batch) {
    if (!folded.empty() && to_index(folded.back().index) < begin) folded.clear();
    show_events(rulings, batch);
    for (Tail& tail : tails) {
      for (const Event& e : batch) {
        while (tail.next < tail.by_index.size()) {
          WitnessStep& step = tail.steps[tail.by_index[tail.next]];
          if (step.index != e.index) break;
          step.thread = e.thread;
          ++tail.next;
        }
      }
    }
    return true;
  });
  stream.collect_folded(nullptr);
  if (!done) return done;
  for (Tail& tail : tails) {
    tail.witness->steps =
        input_steps(tail.steps, tail.last, folded, EventIndex{tail.witness->prefix_end});
    if (tail.is_blocked) tail.witness->steps.resize(tail.witness->steps.size() - tail.last);
  }
  return {};
}

}  // namespace

void watch_order(std::vector<Ruling>& rulings) {
  size_t watched = 0;
  for (Ruling& ruling : rulings) {
    const bool hidden = ruling.witness && ruling.is_race();
    const std::vector<EventRef>& events = ruling.proposal.events;
    if ((!hidden && !ruling.is_refuted()) || events.size() < 2) continue;
    if (watched++ >= kWatchedRaces) return;
    const auto [first, last] = std::minmax(events[0].index, events[1].index);
    ruling.watch.emplace(first, last, !ruling.is_refuted());
  }
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
  const Judge the_judge(trace, options.judge);
  std::mutex progress_mutex;
  size_t done = 0;
  auto judge_one = [&](size_t i) {
    Ruling& ruling = rulings[i];
    if (ruling.is_judged() && !options.is_over()) judge(trace, the_judge, weak_orders, ruling);
    const std::lock_guard lock(progress_mutex);
    options.progress("judge", static_cast<double>(++done) / static_cast<double>(rulings.size()));
  };
  parallel_for(rulings.size(), options.jobs, judge_one);
}

Result<void> judge_streaming(TraceStream& stream, std::vector<Ruling>& rulings,
                             const JudgingOptions& options) {
  std::vector<PairQuery> queries;
  std::vector<std::pair<size_t, const Proposal*>> asked;  // ruling and candidate of each query
  for (size_t i = 0; i < rulings.size(); ++i) {
    if (!rulings[i].is_judged()) continue;
    for (const Proposal& candidate : rulings[i].group->candidates) {
      if (candidate.is_observed && !rulings[i].witness) {
        rulings[i].settle(candidate, JudgeOutcome::witness, "");
        rulings[i].witness = recorded_witness(candidate);
      }
      if (rulings[i].witness) continue;
      if (is_over_locks(candidate)) {
        std::vector<EventIndex> stuck;
        for (const EventRef& e : candidate.events) stuck.push_back(e.index);
        queries.push_back(PairQuery::deadlock(std::move(stuck)));
        asked.emplace_back(i, &candidate);
        continue;
      }
      if (!rulings[i].is_race()) {
        rulings[i].settle(candidate, JudgeOutcome::gave_up,
                          "the trace is too long to be judged as a whole");
        continue;
      }
      queries.push_back({candidate.events[0].index, candidate.events[1].index, candidate.location});
      asked.emplace_back(i, &candidate);
    }
  }
  StreamingJudge judge(std::move(queries));
  bool all_seen = true;
  auto judged =
      for_each_batch(stream, "judge", options.progress, [&](std::span<const Event> batch) {
        judge.on_events(batch);
        all_seen = !options.is_over();
        return all_seen;
      });
  if (!judged) return judged;
  std::vector<StreamingJudgement> judgements = judge.finish();
  for (size_t q = 0; q < judgements.size(); ++q) {
    Ruling& ruling = rulings[asked[q].first];
    const bool found = judgements[q].outcome == JudgeOutcome::witness;
    if (ruling.witness || (!found && !all_seen)) continue;
    ruling.settle(*asked[q].second, judgements[q].outcome, std::move(judgements[q].reason));
    if (found) {
      ruling.witness = {to_index(judgements[q].prefix_end), std::move(judgements[q].tail), {}};
    }
  }
  return complete_tails(stream, rulings, options);
}

}  // namespace foretell
