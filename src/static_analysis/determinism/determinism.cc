// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/determinism/determinism.h"

#include <llvm/IR/Verifier.h>

#include <chrono>

#include "static_analysis/assumptions.h"
#include "static_analysis/determinism/findings.h"
#include "static_analysis/determinism/weak.h"
#include "static_analysis/preparation/inlining.h"
#include "static_analysis/preparation/prepare.h"
#include "static_analysis/subject.h"

namespace foretell::static_analysis {
namespace {

class Stopwatch {
 public:
  explicit Stopwatch(DeterminismResult& result) : result_(result) {}
  void end(const char* name) {
    const auto now = std::chrono::steady_clock::now();
    result_.phases.emplace_back(name,
                                std::chrono::duration<double, std::milli>(now - since_).count());
    since_ = now;
  }

 private:
  DeterminismResult& result_;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

struct Sorted {
  std::vector<Conflict> open, reduced;
};

Sorted sort(const std::vector<Conflict>& conflicts, const Reductions& reductions,
            const PairRules& rules) {
  Sorted sorted;
  for (const Conflict& conflict : conflicts) {
    const Access& a = rules.accesses[conflict.first];
    if (write_the_same(a, rules.accesses[conflict.second], conflict.object)) continue;
    const bool is_reduced =
        reductions.explains(conflict, rules) && is_exact(reductions.of(*a.instruction)->operation);
    (is_reduced ? sorted.reduced : sorted.open).push_back(conflict);
  }
  return sorted;
}

}  // namespace

Result<DeterminismResult> check_determinism(const std::vector<BitcodeFile>& files,
                                            const DeterminismOptions& options) {
  DeterminismResult result;
  Stopwatch phases(result);
  FORETELL_TRY(subject, load_subject(files, options.common.entry));
  phases.end("load");

  prepare(*subject.module, *subject.entry);
  assume_success(*subject.module);
  if (llvm::verifyModule(*subject.module, &llvm::errs()))
    return fail("internal error: preparation broke the program");
  if (options.common.dump) subject.module->print(llvm::errs(), nullptr);
  for (const llvm::Function& function : *subject.module) result.instructions += size_of(function);
  phases.end("prepare");

  const bitcode::PointsTo points_to(*subject.module, {}, bitcode::Externals::common());
  const Threads threads(*subject.module, *subject.entry, points_to);
  const Running running(threads, points_to);
  phases.end("threads");
  const Objects objects(threads, points_to);
  const LockSets locks(threads, objects);
  phases.end("locks");
  const Accesses accesses(threads, objects, points_to);
  const PairRules rules{threads, running, objects, locks, accesses, points_to};
  result.threads = threads.size();
  result.accesses = accesses.all().size();

  const Reductions reductions(threads);
  const Sorted conflicts = sort(find_conflicts(rules), reductions, rules);
  phases.end("conflicts");
  const std::vector<Conflict> open = without_apart(conflicts.open, rules);
  phases.end("indices");
  const std::vector<Source> sources = find_sources(rules);
  phases.end("sources");

  Findings findings(rules);
  findings.add(open, reductions);
  findings.add(sources);
  findings.add_reductions(conflicts.reduced, reductions);
  findings.write_to(result);
  bool is_relaxed = false;
  if (options.as_in_paper) {
    FORETELL_TRY(answer, check_as_in_paper(rules, options));
    result.reports = std::move(answer.reports);
    result.reductions.clear();
    is_relaxed = options.is_relaxed();
    phases.end("values");
  } else if (options.is_relaxed()) {
    FORETELL_TRY(answer, check_weakly(rules, open, sources, options));
    // What is proved for every observer needs no relaxation.
    is_relaxed = !result.reports.empty();
    if (is_relaxed) {
      result.reports = std::move(answer.reports);
      result.reductions.clear();
    }
    phases.end("values");
  }
  for (Assumption& assumption : find_assumptions(threads, points_to))
    (is_accepted(assumption, options.common.assumed) ? result.accepted : result.unaccepted)
        .push_back(std::move(assumption));
  if (result.reports.empty() && result.unaccepted.empty())
    result.verdict = is_relaxed                  ? DeterminismVerdict::weakly_deterministic
                     : result.reductions.empty() ? DeterminismVerdict::deterministic
                                                 : DeterminismVerdict::same_in_any_order;
  phases.end("report");
  return result;
}

}  // namespace foretell::static_analysis
