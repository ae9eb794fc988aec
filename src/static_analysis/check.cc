// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/check.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Verifier.h>

#include <algorithm>
#include <chrono>

#include "static_analysis/preparation/prepare.h"
#include "static_analysis/product/product.h"
#include "static_analysis/races/pairs.h"
#include "static_analysis/subject.h"

namespace foretell::static_analysis {
namespace {

using llvm::dyn_cast;

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

bool is_accepted(const Assumption& assumption, const CheckOptions& options) {
  return std::ranges::any_of(options.assumed, [&](const std::string& name) {
    return name == "all" || name == assumption.name;
  });
}

bool changes_contexts(llvm::StringRef name) {
  return name == "setjmp" || name == "_setjmp" || name == "__sigsetjmp" || name == "sigsetjmp" ||
         name == "longjmp" || name == "siglongjmp" || name == "swapcontext" || name == "fork" ||
         name == "vfork" || name == "dlopen";
}

// What the analyses cannot see into, in code that some thread runs.
std::vector<Assumption> find_assumptions(const Threads& threads,
                                         const bitcode::PointsTo& points_to) {
  std::vector<Assumption> found;
  const auto add = [&](std::string name, std::string reason, const llvm::Instruction& at) {
    if (std::ranges::none_of(found, [&](const Assumption& one) { return one.name == name; }))
      found.push_back({std::move(name), std::move(reason), place_of(at)});
  };
  std::set<const llvm::Function*> functions;
  for (const AbstractThread& thread : threads.all())
    functions.insert(thread.functions.begin(), thread.functions.end());
  for (const llvm::Function* function : functions)
    for (const llvm::Instruction& instruction : llvm::instructions(*function)) {
      if (const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
          pointer && points_to.targets_of(*pointer).empty() &&
          llvm::isa<llvm::IntToPtrInst, llvm::ConstantExpr>(
              address_of(*pointer, instruction.getDataLayout()).base))
        add("pointer", "an address computed as a number cannot be followed", instruction);
      const auto* call = dyn_cast<llvm::CallBase>(&instruction);
      if (!call) continue;
      if (const auto* assembly = dyn_cast<llvm::InlineAsm>(call->getCalledOperand())) {
        if (!llvm::StringRef(assembly->getAsmString()).trim().empty())
          add("asm", "inline assembly may do anything", *call);
        continue;
      }
      const llvm::Function* callee = call->getCalledFunction();
      if (!callee) {
        if (points_to.may_call_unknown(*call))
          add("pointer", "a call through a pointer may lead to code nobody can see", *call);
        continue;
      }
      if (!callee->isDeclaration() || callee->isIntrinsic()) continue;
      const std::string name = callee->getName().str();
      if (changes_contexts(name))
        add(name, fmt::format("'{}' changes what runs in a way that is not followed", name), *call);
      else if (points_to.externals().of(name).effect == bitcode::Effect::unknown &&
               !callee->doesNotAccessMemory())
        add(name,
            fmt::format("function '{}' has no body here, and nothing is known about it", name),
            *call);
    }
  return found;
}

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
  const LockSets locks(threads, objects);
  phases.end("locks");

  const Accesses accesses(threads, objects, points_to);
  const PairRules rules{threads, running, objects, locks, accesses, points_to};
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
    (is_accepted(assumption, options) ? result.accepted : result.unaccepted)
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
