// SPDX-License-Identifier: Apache-2.0

#include "pipeline/judging.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/check.h"
#include "base/parallel.h"
#include "judge/permanence.h"
#include "judge/reordering.h"
#include "pipeline/goals.h"
#include "pipeline/witness_steps.h"

namespace foretell::pipeline {
namespace {

// Of how many proposals it is found out what ordered their events.
constexpr size_t kWatchedRaces = 256;

// The first goal that can be reached, with its judgement; else the last of those that are not
// refuted; else the first.
std::pair<judge::Goal, judge::Judgement> decide(const judge::Judge& judge,
                                                const finding::Proposal& proposal) {
  std::optional<std::pair<judge::Goal, judge::Judgement>> best;
  for (judge::Goal& goal : goals_of(judge, proposal)) {
    judge::Judgement judgement = judge.decide(goal);
    const bool found = judgement.outcome == judge::JudgeOutcome::witness;
    if (!best || judgement.outcome != judge::JudgeOutcome::impossible) {
      best.emplace(std::move(goal), std::move(judgement));
    }
    if (found) break;
  }
  return std::move(*best);
}

// Reorderings are interleavings. What only a weak memory order leaves unordered has no witness
// among them, and that refutes nothing.
bool has_weak_orders(const trace::Trace& trace) {
  return std::ranges::any_of(trace.events, [](const trace::Event& e) {
    return is_atomic_access(e.kind) &&
           !(is_read(e.kind) ? trace::is_acquire(e.order) : trace::is_release(e.order));
  });
}

// The atomic write after the first access whose value a read before the second one returned.
Unordered unordered(const judge::TraceFacts& facts, const finding::Proposal& race) {
  const judge::Position first = position_of(facts.trace, race, race.events[0]);
  const judge::Position second = position_of(facts.trace, race, race.events[1]);
  const size_t writer = facts.thread_index(first), reader = facts.thread_index(second);
  const std::vector<judge::Position>& events = facts.events_of[reader];
  for (uint32_t step = facts.step[second]; step-- > 0;) {
    const judge::Position read = events[step];
    const trace::Event& e = facts.event(read);
    if (!is_atomic_access(e.kind) || !is_read(e.kind)) continue;
    const judge::Position write = facts.partner[read];
    if (write == judge::kNoPosition || facts.thread_index(write) != writer) continue;
    if (facts.step[write] > facts.step[first]) return {race, facts.event(write).index, e.index};
  }
  return {race};
}

// Whether the recorded run itself shows it: its events stand there in this order, and up to the
// last of them it is known to be correct.
bool is_in_recorded_run(const judge::TraceFacts& facts, const finding::Proposal& proposal) {
  std::vector<judge::Position> events;
  for (const finding::EventRef& e : proposal.events) {
    events.push_back(position_of(facts.trace, proposal, e));
  }
  const judge::Reordering recorded{events.back() + 1, {}};
  return !check_witness(facts, judge::Goal::order(std::move(events)), recorded);
}

// The recorded run up to the last event.
finding::Witness recorded_witness(const finding::Proposal& proposal) {
  const EventIndex last = proposal.events.back().index;
  return {to_index(last), {last}, {}};
}

finding::Witness witness_of(const judge::TraceFacts& facts, const judge::Goal& goal,
                            const judge::Reordering& shown) {
  // The trace of an excerpt does not begin with event 0.
  const bool from_start = shown.recorded == 0 && !facts.is_excerpt();
  const uint64_t prefix = from_start ? 0 : to_index(facts.event(shown.recorded).index);
  return {prefix, input_steps(facts.trace, facts, goal, shown), {}};
}

}  // namespace

void judge_candidate(const judge::Judge& judge, const finding::Proposal& candidate,
                     bool weak_orders, Ruling& ruling) {
  const judge::TraceFacts& facts = judge.facts();
  if (candidate.is_indirect && is_in_recorded_run(facts, candidate)) {
    ruling.settle(candidate, judge::JudgeOutcome::witness, "");
    ruling.witness = recorded_witness(candidate);
    return;
  }
  auto [goal, judgement] = decide(judge, candidate);
  if (judgement.outcome == judge::JudgeOutcome::impossible && weak_orders && ruling.is_race()) {
    judgement.outcome = judge::JudgeOutcome::gave_up;
    judgement.reason =
        "no interleaving brings the two together, but no memory order keeps them apart either";
    if (candidate.is_unordered && !ruling.unordered) {
      ruling.unordered = unordered(facts, candidate);
    }
  }
  if (judgement.outcome == judge::JudgeOutcome::witness &&
      candidate.kind == finding::FindingKind::deadlock) {
    const judge::TraceFacts& kept = judge.facts(judgement.reads);
    if (auto why = why_not_permanent(kept, judgement.goal, judgement.witness)) {
      judgement.outcome = judge::JudgeOutcome::gave_up;
      judgement.reason = std::move(*why);
    }
  }
  ruling.settle(candidate, judgement.outcome, std::move(judgement.reason));
  if (judgement.outcome != judge::JudgeOutcome::witness) return;
  const judge::Goal& settled = judgement.goal;
  if (candidate.kind == finding::FindingKind::nondeterminism) {
    const judge::Position write = facts.partner[goal.events.back()];
    if (write != judge::kNoPosition) ruling.recorded_write = facts.event(write).index;
  }
  const judge::Reordering shown =
      judge.minimized(settled, std::move(judgement.witness), judgement.reads);
  ruling.witness = witness_of(judge.facts(judgement.reads), settled, shown);
  ruling.reads = judgement.reads;
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
  all.reserve(rulings.size());
  for (Ruling& ruling : rulings) all.push_back(&ruling);
  size_t watched = 0;
  watch_order(all, watched);
}

void show_events(std::vector<Ruling>& rulings, std::span<const trace::Event> events) {
  for (Ruling& ruling : rulings) {
    if (ruling.watch) ruling.watch->on_events(events);
  }
}

Result<void> for_each_batch(trace::TraceStream& stream, std::string_view phase,
                            const ProgressFunction& progress,
                            const std::function<bool(std::span<const trace::Event>)>& handle) {
  stream.restart();
  for (;;) {
    FORETELL_TRY(batch, stream.next());
    if (batch.empty() || !handle(batch)) return {};
    progress(phase, stream.progress());
  }
}

void judge_in_memory(const trace::Trace& trace, std::vector<Ruling>& rulings,
                     const JudgingOptions& options) {
  // To index the trace costs as much as several analyses.
  if (std::ranges::none_of(rulings, &Ruling::is_judged)) return;
  const bool weak_orders = has_weak_orders(trace);
  const judge::Judge judge(trace, options.judge);
  std::mutex progress_mutex;
  size_t done = 0;
  parallel_for(rulings.size(), options.jobs, [&](size_t i) {
    Ruling& ruling = rulings[i];
    if (ruling.is_judged() && !options.is_over()) {
      for (const finding::Proposal& candidate : ruling.group->candidates) {
        if (!ruling.witness) judge_candidate(judge, candidate, weak_orders, ruling);
      }
    }
    const std::lock_guard lock(progress_mutex);
    options.progress("judge", static_cast<double>(++done) / static_cast<double>(rulings.size()));
  });
}

}  // namespace foretell::pipeline
