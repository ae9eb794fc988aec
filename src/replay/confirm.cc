// SPDX-License-Identifier: Apache-2.0

#include "replay/confirm.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/check.h"
#include "base/output.h"
#include "replay/consequence.h"
#include "replay/deadlock.h"

namespace foretell::replay {
namespace {

// Whether the predicted one is part of what happened.
bool same_deadlock(const finding::Finding& predicted, const finding::Finding& happened) {
  auto places = [](const finding::Finding& f) {
    std::set<std::pair<std::string, std::string>> set;
    for (const finding::DescribedEvent& e : f.events) set.emplace(e.thread, e.site);
    return set;
  };
  return predicted.as<finding::DeadlockFinding>() != nullptr &&
         happened.as<finding::DeadlockFinding>() != nullptr &&
         std::ranges::includes(places(happened), places(predicted));
}

}  // namespace

size_t steps_at_end(finding::WitnessEnd end) {
  switch (end) {
    case finding::WitnessEnd::at_once:
      return 2;
    case finding::WitnessEnd::last_read:
      return 1;
    case finding::WitnessEnd::blocked:
    case finding::WitnessEnd::in_order:
      return 0;
  }
  return 0;
}

Result<finding::AnalysisResult> analyze_run(const launch::RecordedRun& run,
                                            const pipeline::DriverOptions& options) {
  FORETELL_TRY(reader, run.trace.open());
  FORETELL_TRY(stream, trace::TraceStream::open(std::move(reader)));
  FORETELL_TRY(result, analyze(std::move(stream), options));
  ++result.conversions.decoded;  // the recording
  result.trace.name = run.info.command[0];
  result.trace.file = run.info.program;
  if (run.deadlocked()) {
    FORETELL_TRY(again, run.trace.open());
    FORETELL_TRY(deadlock, describe_deadlock(*again));
    deadlock.replay = "this happened while the program was recorded";
    // What happened needs no prediction.
    std::erase_if(result.findings,
                  [&](const finding::Finding& f) { return same_deadlock(f, deadlock); });
    result.findings.insert(result.findings.begin(), std::move(deadlock));
    result.number_findings();
  }
  return std::move(result);
}

Result<void> add_schedules(const launch::RunDirectory& directory, const launch::RecordedRun& run,
                           finding::AnalysisResult& result) {
  for (finding::Finding& f : result.findings) {
    if (!f.witness) continue;
    f.schedule = run.steps.of_witness(f.witness->prefix_end, f.witness->steps,
                                      steps_at_end(witness_end_of(f.kind())));
    f.schedule_file = directory.schedule(f.id);
    if (auto done = write_text(f.schedule_file, f.schedule->to_file(f.id)); !done) return done;
  }
  return {};
}

Result<ReplayResult> try_finding(const Replayer& replayer, finding::Finding& finding,
                                 const TryOptions& options) {
  CHECK(finding.schedule.has_value());
  const schedule::Schedule& schedule = *finding.schedule;
  const Expectation expectation = expectation_of(finding);
  ReplayRequest request{.name = finding.id,
                        .time_limit = options.time_limit,
                        .deadline = options.deadline,
                        .stop = options.stop};
  // The schedule of a deadlock ends when nobody has blocked yet; that of an atomicity violation may
  // end when the block is about to lock again.
  const finding::WitnessEnd end = witness_end_of(finding.kind());
  if (end == finding::WitnessEnd::blocked || end == finding::WitnessEnd::in_order) {
    request.after = AfterSchedule::go_on;
  }
  FORETELL_TRY(replayed, replayer.replay(schedule, &expectation, request));
  if (replayed.outcome == ReplayOutcome::reproduced) {
    finding.verdict = finding::Verdict::confirmed;
    finding.replay.clear();
    if (end != finding::WitnessEnd::blocked && options.compare_ends) {
      FORETELL_TRY(consequence, consequence_of(replayer, schedule, expectation, request));
      if (!consequence.empty()) finding.consequence = std::move(consequence);
    }
  } else {
    finding.replay = replayed.explanation;
    // A signal, a cancellation or another process may end a wait; no trace says so, the program
    // does.
    const bool went_on = end == finding::WitnessEnd::blocked && !expectation.only_locks &&
                         replayed.outcome == ReplayOutcome::not_reproduced;
    if (went_on || replayed.refuted) finding.verdict = finding::Verdict::possible;
  }
  return replayed;
}

std::vector<size_t> fair_order(std::span<const finding::FindingKind> kinds) {
  std::map<finding::FindingKind, size_t> seen;
  std::vector<std::pair<size_t, size_t>> turns;  // which of its kind, and where
  for (size_t i = 0; i < kinds.size(); ++i) turns.emplace_back(seen[kinds[i]]++, i);
  std::ranges::sort(turns);
  std::vector<size_t> order;
  for (const auto& [turn, position] : turns) order.push_back(position);
  return order;
}

void sort_by_verdict(std::vector<finding::Finding>& findings) {
  std::vector<finding::Finding> by_verdict;
  for (finding::Verdict verdict : {finding::Verdict::confirmed, finding::Verdict::unordered,
                                   finding::Verdict::predicted, finding::Verdict::possible}) {
    for (finding::Finding& finding : findings) {
      if (finding.verdict == verdict) by_verdict.push_back(std::move(finding));
    }
  }
  findings = std::move(by_verdict);
}

}  // namespace foretell::replay
