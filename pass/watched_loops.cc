// SPDX-License-Identifier: Apache-2.0

#include "watched_loops.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <algorithm>

#include "recording/watching.h"
#include "watching.h"

namespace foretell::pass {

using llvm::dyn_cast;
using llvm::isa;

namespace {

// Loops of fewer rounds are not worth a call.
constexpr unsigned kFewRounds = 4;
// Of checks before one loop; of instructions of a loop that is doubled, and of all of a function.
constexpr size_t kMostChecks = 16;
constexpr size_t kMostInstructions = 400;
constexpr size_t kMostDoubled = 20000;

// The addresses first + i * step, and of each of them those that follow at another step: `size`
// bytes at each.
struct Sweep {
  struct Step {
    const llvm::SCEV* distance;
    const llvm::SCEV* rounds;
    bool operator==(const Step&) const = default;
  };
  // A condition that the loop does not change, and what it must be for the accesses to be made.
  using Guard = std::pair<llvm::Value*, bool>;
  const llvm::SCEV* first;
  llvm::SmallVector<Step, 2> steps;  // from the innermost loop outwards
  llvm::SmallVector<Guard, 2> guards;
  uint64_t size;
  bool write;
  llvm::SmallVector<size_t, 4> hooks;  // of the accesses
};

class Loops {
 public:
  Loops(llvm::Function& body, const Selection& selection, const std::vector<uint32_t>& sites,
        CheckLoop check)
      : body_(body),
        check_(check),
        library_base_(llvm::Triple(body.getParent()->getTargetTriple())),
        library_(library_base_),
        assumptions_(body),
        tree_(body),
        loops_(tree_),
        evolution_(body, library_, assumptions_, tree_, loops_),
        expander_(evolution_, body.getDataLayout(), "foretell") {
    for (size_t i = 0; i < selection.hooked.size(); i++) add_hook(selection.hooked[i], sites[i]);
  }

  WatchedLoops run(Selection selection) {
    visit_all(std::vector<llvm::Loop*>(loops_.begin(), loops_.end()));
    selection.hooked.clear();
    for (const Hook& hook : hooks_) {
      if (hook.covered) continue;
      selection.hooked.push_back(hook.hooked);
      result_.sites.push_back(hook.site);
    }
    result_.selection = std::move(selection);
    return std::move(result_);
  }

 private:
  struct Hook {
    Hooked hooked;
    uint32_t site;
    bool covered = false;  // needs no check any more
  };

  void add_hook(const Hooked& hooked, uint32_t site) {
    places_[hooked.instruction->getParent()].push_back(hooks_.size());
    hooks_.push_back({hooked, site});
  }

  void visit_all(const std::vector<llvm::Loop*>& loops) {
    for (llvm::Loop* loop : loops) visit(*loop);
  }

  // From the outside in: what one check before a nest of loops cannot cover may be covered before
  // one of the inner loops.
  void visit(llvm::Loop& loop) {
    llvm::Loop* checked =
        has_only_plain_accesses(loop) && prepare(loop) ? check_before(loop) : nullptr;
    visit_all(std::vector<llvm::Loop*>(loop.begin(), loop.end()));
    if (checked) visit_all(std::vector<llvm::Loop*>(checked->begin(), checked->end()));
  }

  llvm::SmallVector<size_t, 16> hooks_in(const llvm::Loop& loop) const {
    llvm::SmallVector<size_t, 16> hooks;
    for (const llvm::BasicBlock* block : loop.blocks())
      if (auto at = places_.find(block); at != places_.end())
        hooks.append(at->second.begin(), at->second.end());
    return hooks;
  }

  bool has_only_plain_accesses(const llvm::Loop& loop) const {
    const auto hooks = hooks_in(loop);
    return !hooks.empty() &&
           llvm::all_of(hooks, [&](size_t i) { return is_checked_inline(hooks_[i].hooked); });
  }

  // A loop that has one way out, at the end of a round.
  static bool is_counted(const llvm::Loop& loop) {
    const llvm::BasicBlock* latch = loop.getLoopLatch();
    return latch && loop.isLoopSimplifyForm() && loop.getExitingBlock() == latch &&
           loop.getExitBlock();
  }

  bool prepare(llvm::Loop& loop) {
    if (!loop.isSafeToClone()) return false;
    llvm::simplifyLoop(&loop, &tree_, &loops_, &evolution_, &assumptions_, nullptr, false);
    return is_counted(loop);
  }

  // How often the rounds of the loop run, if that is known at `before`.
  const llvm::SCEV* rounds_of(const llvm::Loop& loop, const llvm::Instruction& before) {
    const llvm::SCEV* again = evolution_.getBackedgeTakenCount(&loop);
    if (isa<llvm::SCEVCouldNotCompute>(again) || !again->getType()->isIntegerTy() ||
        evolution_.getTypeSizeInBits(again->getType()) > 64 ||
        !expander_.isSafeToExpandAt(again, &before))
      return nullptr;
    return evolution_.getAddExpr(evolution_.getNoopOrZeroExtend(again, wide()),
                                 evolution_.getOne(wide()));
  }

  llvm::Type* wide() const { return llvm::Type::getInt64Ty(body_.getContext()); }

  // Returns the copy that has all the checks, if there is one.
  llvm::Loop* check_before(llvm::Loop& loop) {
    llvm::Instruction* before = loop.getLoopPreheader()->getTerminator();
    const llvm::SCEV* count = rounds_of(loop, *before);
    if (!count) return nullptr;
    llvm::Value* rounds = expander_.expandCodeFor(count, wide(), before);
    result_.counted.insert(loop.getLoopLatch());
    std::vector<Sweep> sweeps;
    if (is_worth_doubling(loop)) sweeps = sweeps_of(loop);
    if (sweeps.empty() || sweeps.size() > kMostChecks) {
      result_.rounds.emplace_back(before, rounds);
      return nullptr;
    }
    llvm::formLCSSARecursively(loop, tree_, &loops_, &evolution_);
    // All that is computed comes first: the rounds are counted before the first check.
    std::vector<std::array<llvm::Value*, 5>> arguments;
    for (const Sweep& sweep : sweeps) arguments.push_back(arguments_of(sweep, *before));
    llvm::BasicBlock* decision = llvm::SplitBlock(before->getParent(), before, &tree_, &loops_);
    llvm::Value* unchecked = nullptr;
    for (size_t i = 0; i < sweeps.size(); i++) {
      uint32_t what = static_cast<uint32_t>(sweeps[i].size) << watching::kSizeShift;
      if (sweeps[i].write) what |= watching::kWrites;
      llvm::Value* one = check_(*before, arguments[i], what);
      unchecked = unchecked
                      ? llvm::BinaryOperator::CreateAnd(unchecked, one, "", before->getIterator())
                      : one;
    }
    result_.rounds.emplace_back(&decision->front(), rounds);
    llvm::Loop* checked = split(loop, *before, unchecked);
    for (const Sweep& sweep : sweeps)
      for (size_t hook : sweep.hooks) hooks_[hook].covered = true;
    return checked;
  }

  bool is_worth_doubling(const llvm::Loop& loop) {
    const unsigned most = evolution_.getSmallConstantMaxTripCount(&loop);
    if (most != 0 && most < kFewRounds && loop.isInnermost()) return false;
    size_t instructions = 0;
    for (const llvm::BasicBlock* block : loop.blocks()) instructions += block->size();
    if (instructions > kMostInstructions || doubled_ + instructions > kMostDoubled) return false;
    doubled_ += instructions;
    return true;
  }

  std::array<llvm::Value*, 5> arguments_of(const Sweep& sweep, llvm::Instruction& before) {
    std::array<llvm::Value*, 5> arguments;
    arguments[0] = expander_.expandCodeFor(sweep.first, sweep.first->getType(), &before);
    for (size_t i = 0; i < 2; i++) {
      const bool moves = i < sweep.steps.size();
      arguments[1 + 2 * i] = moves
                                 ? expander_.expandCodeFor(sweep.steps[i].distance, wide(), &before)
                                 : llvm::ConstantInt::get(wide(), 0);
      arguments[2 + 2 * i] = moves ? expander_.expandCodeFor(sweep.steps[i].rounds, wide(), &before)
                                   : llvm::ConstantInt::get(wide(), 1);
    }
    llvm::IRBuilder<> builder(&before);
    for (const auto& [condition, wanted] : sweep.guards) {
      // It need not be defined where nobody asked for it.
      llvm::Value* defined = builder.CreateFreeze(condition);
      arguments[2] = wanted ? builder.CreateSelect(defined, arguments[2], builder.getInt64(0))
                            : builder.CreateSelect(defined, builder.getInt64(0), arguments[2]);
    }
    return arguments;
  }

  // The accesses that can be checked before the loop.
  std::vector<Sweep> sweeps_of(llvm::Loop& loop) {
    std::vector<Sweep> sweeps;
    for (size_t i : hooks_in(loop)) {
      const Hook& hook = hooks_[i];
      if (hook.covered) continue;
      if (std::optional<Sweep> sweep = sweep_of(loop, hook.hooked)) {
        sweep->hooks.push_back(i);
        add(sweeps, std::move(*sweep));
      }
    }
    merge_neighbors(sweeps);
    return sweeps;
  }

  std::optional<Sweep> sweep_of(llvm::Loop& loop, const Hooked& hooked) {
    const llvm::Instruction& before = *loop.getLoopPreheader()->getTerminator();
    const Touched memory = touched(hooked);
    Sweep sweep{.first = evolution_.getSCEV(memory.pointer),
                .size = memory.size,
                .write = isa<llvm::StoreInst>(hooked.instruction)};
    // Every loop around the access must run all its rounds each time.
    for (llvm::Loop* around = loops_.getLoopFor(hooked.instruction->getParent());;
         around = around->getParentLoop()) {
      if (!is_counted(*around)) return std::nullopt;
      const llvm::SCEV* rounds = rounds_of(*around, before);
      if (!rounds || !evolution_.isLoopInvariant(rounds, &loop)) return std::nullopt;
      const auto* moving = dyn_cast<llvm::SCEVAddRecExpr>(sweep.first);
      if (moving && moving->getLoop() == around) {
        if (!moving->isAffine()) return std::nullopt;
        const llvm::SCEV* distance = moving->getStepRecurrence(evolution_);
        if (!is_known(distance, loop, before) || sweep.steps.size() == 2) return std::nullopt;
        sweep.steps.push_back({distance, rounds});
        sweep.first = moving->getStart();
      }
      if (around == &loop) break;
    }
    if (!is_known(sweep.first, loop, before)) return std::nullopt;
    if (!add_guards(sweep, loop, *hooked.instruction->getParent())) return std::nullopt;
    return sweep;
  }

  // From the access outwards to a block that is on the way of every round.
  bool add_guards(Sweep& sweep, const llvm::Loop& loop, const llvm::BasicBlock& access) {
    const llvm::BasicBlock* at = &access;
    while (!tree_.dominates(at, loop.getLoopLatch())) {
      const llvm::Loop* around = loops_.getLoopFor(at);
      // The loop is entered, so its first round is begun.
      if (around != &loop && at == around->getHeader()) {
        at = around->getLoopPreheader();
        continue;
      }
      // Within an inner loop a block must be on the way of all its rounds, too.
      if (around != &loop && tree_.dominates(at, around->getLoopLatch())) {
        at = around->getHeader();
        continue;
      }
      const llvm::BasicBlock* from = at->getSinglePredecessor();
      const auto* jump = from ? dyn_cast<llvm::BranchInst>(from->getTerminator()) : nullptr;
      if (!jump) return false;
      if (jump->isConditional()) {
        if (!loop.isLoopInvariant(jump->getCondition()) ||
            jump->getSuccessor(0) == jump->getSuccessor(1))
          return false;
        sweep.guards.emplace_back(jump->getCondition(), jump->getSuccessor(0) == at);
      }
      at = from;
    }
    return true;
  }

  bool is_known(const llvm::SCEV* value, const llvm::Loop& loop, const llvm::Instruction& before) {
    return evolution_.isLoopInvariant(value, &loop) && expander_.isSafeToExpandAt(value, &before);
  }

  // A write of the same memory checks more than a read.
  static void add(std::vector<Sweep>& sweeps, Sweep&& added) {
    for (Sweep& sweep : sweeps) {
      if (sweep.first != added.first || sweep.steps != added.steps || sweep.size != added.size ||
          sweep.guards != added.guards)
        continue;
      sweep.write |= added.write;
      sweep.hooks.append(added.hooks);
      return;
    }
    sweeps.push_back(std::move(added));
  }

  // One sweep for two with the same steps if the bytes of the second follow those of the first.
  void merge_neighbors(std::vector<Sweep>& sweeps) {
    for (size_t i = 0; i < sweeps.size();) {
      size_t j = 0;
      while (j < sweeps.size() && (i == j || !merge(sweeps[i], sweeps[j]))) j++;
      if (j == sweeps.size()) {
        i++;
        continue;
      }
      sweeps.erase(sweeps.begin() + static_cast<ptrdiff_t>(j));
      i = 0;
    }
  }

  bool merge(Sweep& one, Sweep& behind) {
    constexpr int64_t kMostTogether = 4096;
    if (one.steps != behind.steps || one.write != behind.write || one.guards != behind.guards)
      return false;
    const auto* distance =
        dyn_cast<llvm::SCEVConstant>(evolution_.getMinusSCEV(behind.first, one.first));
    if (!distance || distance->getAPInt().getSignificantBits() > 32) return false;
    const int64_t apart = distance->getAPInt().getSExtValue();
    const auto size = static_cast<int64_t>(one.size);
    const int64_t together = std::max(size, apart + static_cast<int64_t>(behind.size));
    if (apart < 0 || apart > size || together > kMostTogether) return false;
    one.size = static_cast<uint64_t>(together);
    one.hooks.append(behind.hooks);
    return true;
  }

  // The loop becomes the one without checks; the copy of it has them.
  llvm::Loop* split(llvm::Loop& loop, llvm::Instruction& before, llvm::Value* unchecked) {
    llvm::BasicBlock* decision = before.getParent();
    llvm::BasicBlock* own = llvm::SplitBlock(decision, &before, &tree_, &loops_);
    llvm::BasicBlock* exit = loop.getExitBlock();
    llvm::BasicBlock* latch = loop.getLoopLatch();
    const auto hooks = hooks_in(loop);
    llvm::ValueToValueMapTy copies;
    llvm::SmallVector<llvm::BasicBlock*, 8> blocks;
    llvm::Loop* checked = llvm::cloneLoopWithPreheader(own, decision, &loop, copies, ".checked",
                                                       &loops_, &tree_, blocks);
    llvm::remapInstructionsInBlocks(blocks, copies);
    llvm::Instruction* jump = decision->getTerminator();
    llvm::BranchInst::Create(own, checked->getLoopPreheader(), unchecked, jump->getIterator());
    jump->eraseFromParent();
    for (llvm::PHINode& phi : exit->phis()) {
      llvm::Value* value = phi.getIncomingValueForBlock(latch);
      llvm::Value* copy = copies.lookup(value);
      phi.addIncoming(copy ? copy : value, llvm::cast<llvm::BasicBlock>(&*copies[latch]));
    }
    tree_.changeImmediateDominator(exit, decision);
    evolution_.forgetLoop(&loop);
    result_.counted.insert(llvm::cast<llvm::BasicBlock>(&*copies[latch]));
    for (size_t i : hooks) {
      if (hooks_[i].covered) continue;
      Hooked copy = hooks_[i].hooked;
      copy.instruction = llvm::cast<llvm::Instruction>(&*copies[copy.instruction]);
      add_hook(copy, hooks_[i].site);
    }
    return checked;
  }

  llvm::Function& body_;
  CheckLoop check_;
  llvm::TargetLibraryInfoImpl library_base_;
  llvm::TargetLibraryInfo library_;
  llvm::AssumptionCache assumptions_;
  llvm::DominatorTree tree_;
  llvm::LoopInfo loops_;
  llvm::ScalarEvolution evolution_;
  llvm::SCEVExpander expander_;
  std::vector<Hook> hooks_;
  llvm::DenseMap<const llvm::BasicBlock*, std::vector<size_t>> places_;  // of hooks_
  size_t doubled_ = 0;                                                   // instructions
  WatchedLoops result_;
};

}  // namespace

WatchedLoops check_before_loops(llvm::Function& body, Selection selection,
                                const std::vector<uint32_t>& sites, CheckLoop check) {
  return Loops(body, selection, sites, check).run(std::move(selection));
}

}  // namespace foretell::pass
