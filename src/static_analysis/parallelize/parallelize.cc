// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/parallelize/parallelize.h"

#include <fmt/format.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

#include "static_analysis/parallelize/iterations.h"
#include "static_analysis/parallelize/loop_variables.h"
#include "static_analysis/preparation/inlining.h"
#include "static_analysis/preparation/slots.h"
#include "static_analysis/races/accesses.h"
#include "static_analysis/races/analyses.h"
#include "static_analysis/subject.h"

namespace foretell::static_analysis {
namespace {

using llvm::dyn_cast;

constexpr double kUnknownRounds = 100, kStartCost = 5000;  // instructions, to start the threads

// All they keep is errno, which each thread has for itself.
bool is_arithmetic(llvm::StringRef name) {
  static constexpr const char* kNames[] = {"sqrt", "cbrt",  "exp",  "log",  "pow",
                                           "sin",  "cos",   "tan",  "atan", "fabs",
                                           "fmod", "floor", "ceil", "hypot"};
  return llvm::any_of(kNames, [&](llvm::StringRef one) {
    return name == one || (name.ends_with("f") && name.drop_back() == one);
  });
}

struct MemoryTouch {
  Access access;
  bool is_unknown = false;  // may be anywhere
};

// One loop of the prepared program.
class LoopJudge {
 public:
  LoopJudge(llvm::Loop& loop, LoopAnalyses& analyses, const bitcode::PointsTo& points_to)
      : loop_(loop), analyses_(analyses), points_to_(points_to) {}

  LoopAdvice judge() {
    const llvm::DebugLoc at = loop_.getStartLoc();
    if (at) advice_.place = {at->getFilename().str(), at.getLine(), at.getCol()};
    advice_.function = name_of_function(at);
    judge_shape();
    for (llvm::BasicBlock* block : loop_.blocks())
      for (llvm::Instruction& instruction : *block) judge_instruction(instruction);
    judge_header();
    judge_memory();
    find_privates(loop_, reduced_, advice_.privates);
    advice_.is_parallel = advice_.obstacles.empty();
    return std::move(advice_);
  }

 private:
  static std::string name_of_function(const llvm::DebugLoc& at) {
    const auto* scope = at ? llvm::getDISubprogram(at->getScope()) : nullptr;
    return scope ? scope->getName().str() : "";
  }

  void add(const llvm::Instruction& at, std::string why) {
    Place place = place_of(at);
    if (place.line == 0) place = advice_.place;
    const bool known = std::ranges::any_of(advice_.obstacles, [&](const Obstacle& one) {
      return one.place == place && one.why == why;
    });
    if (!known) advice_.obstacles.push_back({place, std::move(why)});
  }

  void judge_shape() {
    const llvm::Instruction& head = *loop_.getHeader()->getTerminator();
    if (loop_.getExitingBlock() != loop_.getHeader() || !loop_.getLoopLatch())
      add(head, "it may be left from within");
    else if (llvm::isa<llvm::SCEVCouldNotCompute>(
                 analyses_.evolution.getExitCount(&loop_, loop_.getHeader())))
      add(head, "how often it is executed is not known before");
  }

  void judge_instruction(const llvm::Instruction& instruction) {
    const auto* call = dyn_cast<llvm::CallBase>(&instruction);
    if (call && !llvm::isa<llvm::IntrinsicInst>(call)) judge_call(*call);
    if (instruction.isVolatile()) add(instruction, "it is a volatile access");
    if (instruction.isAtomic()) add(instruction, "it is an atomic operation");
    if (llvm::isa<llvm::PHINode>(instruction) && instruction.getParent() == loop_.getHeader())
      return;
    for (const llvm::User* user : instruction.users())
      if (const auto* use = dyn_cast<llvm::Instruction>(user);
          use && !loop_.contains(use) && !llvm::isa<llvm::DbgInfoIntrinsic>(use))
        used_after_.push_back(&instruction);
  }

  void judge_call(const llvm::CallBase& call) {
    const llvm::Function* callee = call.getCalledFunction();
    if (!callee) return add(call, "a function is called through a pointer");
    const std::string name = callee->getName().str();
    if (name.starts_with("foretell.any.") || is_arithmetic(name)) return;
    if (!callee->isDeclaration())
      return add(call, fmt::format("'{}' calls itself, or is too large to be followed", name));
    const bitcode::External& external = points_to_.externals().of(name);
    if (external.effect == bitcode::Effect::unknown)
      add(call, fmt::format("what '{}' does is not known", name));
    else if (call.doesNotReturn())
      add(call, fmt::format("'{}' ends the program", name));
    else if (external.has_state || external.synchronizes ||
             external.effect == bitcode::Effect::transmits)
      add(call, fmt::format("the order of calls of '{}' counts", name));
  }

  // What goes from one iteration to the next in registers.
  void judge_header() {
    llvm::ScalarEvolution& evolution = analyses_.evolution;
    const llvm::Value* condition = nullptr;
    if (const auto* branch = dyn_cast<llvm::BranchInst>(loop_.getHeader()->getTerminator());
        branch && branch->isConditional())
      condition = branch->getCondition();
    for (llvm::PHINode& phi : loop_.getHeader()->phis()) {
      const auto* comparison = llvm::dyn_cast_or_null<llvm::ICmpInst>(condition);
      const auto* recurrence = phi.getType()->isIntegerTy()
                                   ? dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(&phi))
                                   : nullptr;
      const bool counts = comparison && recurrence && recurrence->getLoop() == &loop_ &&
                          recurrence->isAffine() &&
                          llvm::isa<llvm::SCEVConstant>(recurrence->getStepRecurrence(evolution));
      // OpenMP wants a counter that the body leaves alone.
      const auto* step =
          loop_.getLoopLatch()
              ? dyn_cast<llvm::BinaryOperator>(phi.getIncomingValueForBlock(loop_.getLoopLatch()))
              : nullptr;
      if (counts && !counter_ && step && llvm::is_contained(step->operands(), &phi) &&
          (comparison->getOperand(0) == &phi || comparison->getOperand(1) == &phi)) {
        counter_ = &phi;
        for (const llvm::User* user : phi.users())
          if (const auto* use = dyn_cast<llvm::Instruction>(user); use && !loop_.contains(use))
            add(phi, "its counter is used after it");
        continue;
      }
      judge_carried(phi);
    }
    for (const llvm::Instruction* value : used_after_)
      add(*value, fmt::format("{} is used after the loop", variable_of(*value)));
  }

  // `x = x + e` once, or under a condition, with the old value used for nothing else.
  static const char* reduction_of(const llvm::PHINode& phi, const llvm::Loop& loop) {
    if (!loop.getLoopLatch() || !phi.getType()->isIntegerTy()) return nullptr;
    const llvm::Value* last = phi.getIncomingValueForBlock(loop.getLoopLatch());
    const auto* merged = dyn_cast<llvm::PHINode>(last);
    if (merged == &phi || (merged && !loop.contains(merged))) return nullptr;
    std::set<const llvm::User*> allowed;  // to use the old value
    const char* operation = nullptr;
    std::vector<const llvm::Value*> updates = {last};
    if (merged) {
      allowed.insert(merged);
      updates.assign(merged->op_begin(), merged->op_end());
      if (!merged->hasOneUser()) return nullptr;
    }
    for (const llvm::Value* one : updates) {
      if (one == &phi) continue;
      const auto* update = dyn_cast<llvm::BinaryOperator>(one);
      const char* by = update ? omp_operator(update->getOpcode()) : nullptr;
      if (!by || (operation && operation != by) || !loop.contains(update)) return nullptr;
      const bool is_first = update->getOperand(0) == &phi;
      const bool is_second = update->getOperand(1) == &phi;
      if (is_first == is_second || (is_second && update->getOpcode() == llvm::Instruction::Sub))
        return nullptr;
      for (const llvm::User* user : update->users())
        if (user != &phi && user != merged) return nullptr;
      operation = by;
      allowed.insert(update);
    }
    for (const llvm::User* user : phi.users())
      if (const auto* use = dyn_cast<llvm::Instruction>(user);
          use && loop.contains(use) && !allowed.contains(user))
        return nullptr;
    return operation;
  }

  std::string variable_of(const llvm::Value& value) const {
    const std::set<std::string> names = variables_of(value, loop_.getStartLoc());
    return names.empty() ? "a value" : fmt::format("'{}'", *names.begin());
  }

  // The one variable that is the old value before, and the new one after an iteration.
  std::string reduced_variable(const llvm::PHINode& phi) const {
    std::set<std::string> names = variables_of(phi, loop_.getStartLoc());
    const auto after =
        variables_of(*phi.getIncomingValueForBlock(loop_.getLoopLatch()), loop_.getStartLoc());
    std::erase_if(names, [&](const std::string& one) { return !after.contains(one); });
    return names.size() == 1 ? *names.begin() : "";
  }

  void judge_carried(const llvm::PHINode& phi) {
    const std::string name = variable_of(phi);
    const char* operation = reduction_of(phi, loop_);
    const std::string variable = operation ? reduced_variable(phi) : "";
    if (variable.empty())
      return add(phi, phi.getType()->isFloatingPointTy()
                          ? fmt::format("{} goes from one iteration to the next; sums of floating "
                                        "point numbers differ by rounding when their order does",
                                        name)
                          : fmt::format("{} goes from one iteration to the next", name));
    reduced_.push_back(variable);
    advice_.reductions.emplace_back(operation, variable);
  }

  // One text for each, so that addresses can be compared.
  static const char* omp_operator(llvm::Instruction::BinaryOps operation) {
    static constexpr const char *kSum = "+", *kProduct = "*", *kAnd = "&", *kOr = "|", *kXor = "^";
    switch (operation) {
      case llvm::Instruction::Add:
      case llvm::Instruction::Sub:
        return kSum;
      case llvm::Instruction::Mul:
        return kProduct;
      case llvm::Instruction::And:
        return kAnd;
      case llvm::Instruction::Or:
        return kOr;
      case llvm::Instruction::Xor:
        return kXor;
      default:
        return nullptr;
    }
  }

  // Stack memory that begins and ends with an iteration.
  bool is_own(bitcode::ObjectId object) const {
    const auto* slot = llvm::dyn_cast_or_null<llvm::AllocaInst>(points_to_[object].value);
    return slot && llvm::any_of(slot->users(), [&](const llvm::User* user) {
             const auto* call = dyn_cast<llvm::IntrinsicInst>(user);
             return call && call->getIntrinsicID() == llvm::Intrinsic::lifetime_start &&
                    loop_.contains(call);
           });
  }

  std::vector<MemoryTouch> touches() const {
    std::vector<MemoryTouch> found;
    for (const bitcode::Touch& touch : points_to_.touches()) {
      const llvm::Instruction& at = *touch.instruction;
      if (!loop_.contains(&at)) continue;
      if (const auto* intrinsic = dyn_cast<llvm::IntrinsicInst>(&at);
          intrinsic && intrinsic->isLifetimeStartOrEnd())
        continue;
      MemoryTouch one;
      one.access.instruction = &at;
      one.access.mode =
          touch.kind == program::AccessKind::read ? AccessMode::read : AccessMode::write;
      one.access.pointer = llvm::getLoadStorePointerOperand(&at);
      if (one.access.pointer)
        one.access.extent = at.getDataLayout().getTypeStoreSize(
            llvm::getLoadStoreType(const_cast<llvm::Instruction*>(&at)));
      const bitcode::Bits& targets = points_to_.solution().targets_of(touch.pointer);
      one.is_unknown = targets.empty();
      targets.for_each([&](uint32_t id) {
        const auto target = points_to_.solution().targets()[bitcode::TargetId{id}];
        if (target.object == bitcode::kUnknownObject) one.is_unknown = true;
        if (!is_own(target.object)) one.access.targets.push_back(target);
      });
      if (one.is_unknown || !one.access.targets.empty()) found.push_back(std::move(one));
    }
    return found;
  }

  static bool may_meet(const MemoryTouch& a, const MemoryTouch& b) {
    if (a.is_unknown || b.is_unknown) return true;
    return std::ranges::any_of(a.access.targets, [&](const bitcode::Target& target) {
      return overlap(a.access, b.access, target.object).has_value();
    });
  }

  void judge_memory() {
    const std::vector<MemoryTouch> all = touches();
    for (size_t i = 0; i < all.size(); i++)
      for (size_t j = i; j < all.size(); j++) {
        const Access &a = all[i].access, &b = all[j].access;
        if ((a.mode == AccessMode::read && b.mode == AccessMode::read) || !may_meet(all[i], all[j]))
          continue;
        if (a.pointer && b.pointer) {
          const auto one = span_in_iteration(*a.instruction, loop_, analyses_.evolution);
          const auto other = span_in_iteration(*b.instruction, loop_, analyses_.evolution);
          if (one && other && keep_to_iterations(*one, *other, analyses_.evolution)) continue;
        }
        const Place there = place_of(*b.instruction);
        add(*a.instruction,
            i == j ? std::string("iterations may write to the same place")
                   : fmt::format("what it {} may be {} by another iteration in line {}",
                                 a.mode == AccessMode::read ? "reads" : "writes",
                                 b.mode == AccessMode::read ? "read" : "written", there.line));
      }
  }

  llvm::Loop& loop_;
  LoopAnalyses& analyses_;
  const bitcode::PointsTo& points_to_;
  LoopAdvice advice_;
  const llvm::PHINode* counter_ = nullptr;
  std::vector<const llvm::Instruction*> used_after_;
  std::vector<std::string> reduced_;
};

// Executed instructions, by trip counts.
class Costs {
 public:
  explicit Costs(LoopAnalyses& analyses) : analyses_(analyses) {}
  double rounds_of(const llvm::Loop& loop) const {
    const unsigned rounds = analyses_.evolution.getSmallConstantTripCount(&loop);
    return rounds == 0 ? kUnknownRounds : rounds;
  }
  double entries_of(const llvm::Loop& loop) const {
    double times = 1;
    for (const llvm::Loop* outer = loop.getParentLoop(); outer; outer = outer->getParentLoop())
      times *= rounds_of(*outer);
    return times;
  }
  double work_of(const llvm::BasicBlock& block) const {
    const llvm::Loop* inner = analyses_.loops.getLoopFor(&block);
    const double times = inner ? entries_of(*inner) * rounds_of(*inner) : 1;
    return times * static_cast<double>(block.size());
  }

 private:
  LoopAnalyses& analyses_;
};

void add_loops(llvm::Function& function, const bitcode::PointsTo& points_to, unsigned threads,
               ParallelizeResult& result) {
  LoopAnalyses analyses(function);
  const Costs costs(analyses);
  double all = 0;
  for (const llvm::BasicBlock& block : function) all += costs.work_of(block);
  std::set<const llvm::Loop*> parallel;
  for (llvm::Loop* loop : analyses.loops.getLoopsInPreorder()) {
    LoopAdvice advice = LoopJudge(*loop, analyses, points_to).judge();
    for (const llvm::Loop* outer = loop->getParentLoop(); outer; outer = outer->getParentLoop())
      advice.is_inside_parallel |= parallel.contains(outer);
    if (advice.is_parallel) parallel.insert(loop);
    double work = 0;
    for (const llvm::BasicBlock* block : loop->blocks()) work += costs.work_of(*block);
    advice.share = all == 0 ? 0 : work / all;
    const double after = all - work + work / threads + costs.entries_of(*loop) * kStartCost;
    advice.is_worth_it = work / threads + costs.entries_of(*loop) * kStartCost < 0.9 * work;
    advice.speed_up = advice.is_parallel && after > 0 ? all / after : 1;
    // One that was inlined in several places is as good as the worst of them.
    const auto known = std::ranges::find(result.loops, advice.place, &LoopAdvice::place);
    if (known == result.loops.end()) {
      result.loops.push_back(std::move(advice));
    } else {
      known->share += advice.share;
      known->is_parallel &= advice.is_parallel;
      known->is_worth_it &= advice.is_worth_it;
      known->is_inside_parallel &= advice.is_inside_parallel;
      known->speed_up = std::min(known->speed_up, advice.speed_up);
      for (Obstacle& one : advice.obstacles) known->obstacles.push_back(std::move(one));
    }
  }
}

bool has_threads(const llvm::Module& module) {
  for (const char* name : {"pthread_create", "thrd_create", "__kmpc_fork_call"})
    if (const llvm::Function* function = module.getFunction(name);
        function && !function->use_empty())
      return true;
  return false;
}

}  // namespace

Result<ParallelizeResult> parallelize(const std::vector<BitcodeFile>& files,
                                      const ParallelizeOptions& options) {
  FORETELL_TRY(subject, load_subject(files, options.entry));
  if (has_threads(*subject.module))
    return fail_at(files.front().name, "this program has threads already");
  for (llvm::Function& function : *subject.module) {
    if (function.isDeclaration()) continue;
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    if (&function != subject.entry) function.setLinkage(llvm::GlobalValue::InternalLinkage);
    promote_all_slots(function);
  }
  flatten(*subject.module, *subject.entry);
  const bitcode::PointsTo points_to(*subject.module, {}, bitcode::Externals::common());
  ParallelizeResult result;
  // What is called and could not be inlined has loops, too.
  std::set<const llvm::Function*> seen;
  std::vector<llvm::Function*> left = {subject.entry};
  while (!left.empty()) {
    llvm::Function* function = left.back();
    left.pop_back();
    if (function->isDeclaration() || !seen.insert(function).second) continue;
    add_loops(*function, points_to, options.threads, result);
    for (const bitcode::CallEdge& edge : points_to.calls())
      if (edge.call->getFunction() == function)
        left.push_back(const_cast<llvm::Function*>(edge.callee));
  }
  std::ranges::sort(result.loops, {}, [](const LoopAdvice& one) {
    return std::tuple(-one.share, one.place.file, one.place.line, one.place.column);
  });
  return result;
}

}  // namespace foretell::static_analysis
