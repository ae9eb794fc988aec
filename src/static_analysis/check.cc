// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/check.h"

#include <llvm/IR/Verifier.h>

#include <algorithm>
#include <chrono>

#include "static_analysis/assumptions.h"
#include "static_analysis/preparation/prepare.h"
#include "static_analysis/product/product.h"
#include "static_analysis/races/lock_cells.h"
#include "static_analysis/races/pairs.h"
#include "static_analysis/subject.h"

namespace foretell::static_analysis {
namespace {

class Phases {
 public:
  explicit Phases(CheckResult& result) : result_(result) {}
  void end(const char* name) {
    const auto now = std::chrono::steady_clock::now();
    result_.phases.emplace_back(name,
                                std::chrono::duration<double, std::milli>(now - since_).count());
    since_ = now;
  }

 private:
  CheckResult& result_;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

class Reporter {
 public:
  Reporter(const PairRules& rules) : rules_(rules) {}

  PairReport pair(const RacePair& pair) const {
    PairReport report{.variable = rules_.objects.name_of(pair.target),
                      .first = access(rules_.accesses[pair.first]),
                      .second = access(rules_.accesses[pair.second])};
    // The write first, then by place.
    const bool swap =
        report.first.mode == AccessMode::read && report.second.mode != AccessMode::read;
    if (swap) std::swap(report.first, report.second);
    return report;
  }

 private:
  AccessReport access(const Access& access) const {
    const AbstractThread& thread = rules_.threads[access.thread];
    AccessReport report{.place = place_of(*access.instruction),
                        .mode = access.mode,
                        .is_atomic = access.is_atomic,
                        .thread = access.thread == kMain
                                      ? "main"
                                      : fmt::format("T{} ({})", number(access.thread), thread.name),
                        .many = !thread.once};
    for (const HeldLock& lock : rules_.locks.at(*access.instruction)) {
      std::string name = rules_.locks.name_of(lock);
      if (std::ranges::find(report.locks, name) == report.locks.end())
        report.locks.push_back(std::move(name));
    }
    return report;
  }

  const PairRules& rules_;
};

// One report for each variable and pair of places.
void add_reports(const std::vector<RacePair>& pairs, const PairRules& rules, CheckResult& result) {
  const Reporter reporter(rules);
  for (const RacePair& pair : pairs) {
    PairReport report = reporter.pair(pair);
    const bool known = std::ranges::any_of(result.pairs, [&](const PairReport& one) {
      return one.variable == report.variable && one.first.place == report.first.place &&
             one.second.place == report.second.place;
    });
    if (!known) result.pairs.push_back(std::move(report));
  }
}

}  // namespace

Result<CheckResult> check_races(const std::vector<BitcodeFile>& files,
                                const CheckOptions& options) {
  CheckResult result;
  Phases phases(result);
  FORETELL_TRY(subject, load_subject(files, options.entry));
  phases.end("load");

  prepare(*subject.module, *subject.entry);
  if (llvm::verifyModule(*subject.module, &llvm::errs()))
    return fail("internal error: preparation broke the program");
  if (options.dump) subject.module->print(llvm::errs(), nullptr);
  phases.end("prepare");

  const bitcode::PointsTo points_to(*subject.module, {}, bitcode::Externals::common());
  phases.end("points-to");

  const Threads threads(*subject.module, *subject.entry, points_to);
  const Running running(threads, points_to);
  phases.end("threads");

  const Objects objects(threads, points_to);
  LockSets locks(threads, objects);
  phases.end("locks");

  const Accesses accesses(threads, objects, points_to);
  const PairRules rules{threads, running, objects, locks, accesses, points_to};
  find_lock_cells(rules, locks);
  phases.end("lock cells");
  PairCounts counts;
  std::vector<RacePair> pairs = find_pairs(rules, counts);
  phases.end("pairs");

  const ProductAnswer product = explore_product(rules, pairs, options.max_product_states);
  if (product.proved) pairs.clear();
  result.product_states = product.states;
  result.product_finished = product.finished;
  result.product_problem = product.problem;
  phases.end("product");

  for (Assumption& assumption : find_assumptions(threads, points_to))
    (is_accepted(assumption, options.assumed) ? result.accepted : result.unaccepted)
        .push_back(std::move(assumption));
  add_reports(pairs, rules, result);
  result.threads = threads.size();
  result.accesses = accesses.all().size();
  result.shared_pairs = counts.considered;
  const bool proved = result.pairs.empty() && result.unaccepted.empty();
  result.verdict = proved ? Verdict::proved : Verdict::not_proved;
  phases.end("report");
  return result;
}

}  // namespace foretell::static_analysis
