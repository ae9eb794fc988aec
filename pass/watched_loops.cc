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
// Of checks before one loop; and of instructions of a loop that is doubled.
constexpr size_t kMostChecks = 16;
constexpr size_t kMostInstructions = 400;

// The addresses first, first + step, ..., of `size` bytes each.
struct Sweep {
  const llvm::SCEV* first;
  const llvm::SCEV* step;
  uint64_t size;
  bool write;
  // Of an access, its place among the hooks. One that was merged into another has none.
  std::vector<size_t> hooks;
};

class Loops {
 public:
  Loops(llvm::Function& body, Selection selection, std::vector<uint32_t> sites,
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
    result_.selection = std::move(selection);
    result_.sites = std::move(sites);
  }

  WatchedLoops run() {
    std::vector<llvm::Loop*> innermost;
    for (llvm::Loop* loop : loops_.getLoopsInPreorder())
      if (loop->isInnermost()) innermost.push_back(loop);
    for (llvm::Loop* loop : innermost) visit(*loop);
    drop_covered();
    return std::move(result_);
  }

 private:
  using Places = llvm::DenseMap<const llvm::BasicBlock*, std::vector<size_t>>;

  // By block, the places of its hooks.
  void find_hooks() {
    if (!places_.empty()) return;
    for (size_t i = 0; i < result_.selection.hooked.size(); i++)
      places_[result_.selection.hooked[i].instruction->getParent()].push_back(i);
  }

  void visit(llvm::Loop& loop) {
    find_hooks();
    std::vector<size_t> hooks;
    size_t instructions = 0;
    for (const llvm::BasicBlock* block : loop.blocks()) {
      instructions += block->size();
      if (auto at = places_.find(block); at != places_.end())
        hooks.insert(hooks.end(), at->second.begin(), at->second.end());
    }
    if (hooks.empty() || instructions > kMostInstructions) return;
    for (size_t hook : hooks)
      if (!is_plain(result_.selection.hooked[hook])) return;
    if (!loop.isSafeToClone()) return;
    const unsigned most = evolution_.getSmallConstantMaxTripCount(&loop);
    if (most != 0 && most < kFewRounds) return;
    if (!llvm::simplifyLoop(&loop, &tree_, &loops_, &evolution_, &assumptions_, nullptr, false) &&
        !loop.isLoopSimplifyForm())
      return;
    // It may have become two.
    if (!loop.isInnermost()) return;
    llvm::erase_if(hooks, [&](size_t hook) {
      return !loop.contains(result_.selection.hooked[hook].instruction);
    });
    llvm::BasicBlock* latch = loop.getLoopLatch();
    if (!latch || loop.getExitingBlock() != latch || !loop.getExitBlock()) return;
    check_before(loop, *latch, hooks);
  }

  static bool is_plain(const Hooked& hooked) {
    return hooked.hook != Hook::branch &&
           compact_op(hooked, touched(hooked).size) != recording::Op::None;
  }

  void check_before(llvm::Loop& loop, llvm::BasicBlock& latch, const std::vector<size_t>& hooks) {
    const llvm::SCEV* again = evolution_.getBackedgeTakenCount(&loop);
    llvm::Instruction* before = loop.getLoopPreheader()->getTerminator();
    if (isa<llvm::SCEVCouldNotCompute>(again) || !again->getType()->isIntegerTy() ||
        evolution_.getTypeSizeInBits(again->getType()) > 64 ||
        !expander_.isSafeToExpandAt(again, before))
      return;
    std::vector<Sweep> sweeps = sweeps_of(loop, latch, hooks);
    llvm::Type* wide = llvm::Type::getInt64Ty(body_.getContext());
    llvm::Value* rounds =
        expander_.expandCodeFor(evolution_.getAddExpr(evolution_.getNoopOrZeroExtend(again, wide),
                                                      evolution_.getOne(wide)),
                                wide, before);
    result_.counted.insert(&latch);
    if (sweeps.empty() || sweeps.size() > kMostChecks) {
      result_.rounds.emplace_back(before, rounds);
      return;
    }
    llvm::formLCSSA(loop, tree_, &loops_, &evolution_);
    // All that is computed comes first: the rounds are counted before the first check.
    std::vector<std::array<llvm::Value*, 2>> ends;
    for (const Sweep& sweep : sweeps)
      ends.push_back({expander_.expandCodeFor(sweep.first, sweep.first->getType(), before),
                      expander_.expandCodeFor(sweep.step, wide, before)});
    llvm::BasicBlock* decision = llvm::SplitBlock(before->getParent(), before, &tree_, &loops_);
    llvm::Value* unchecked = nullptr;
    for (size_t i = 0; i < sweeps.size(); i++) {
      uint32_t what = static_cast<uint32_t>(sweeps[i].size) << watching::kSizeShift;
      if (sweeps[i].write) what |= watching::kWrites;
      llvm::Value* one = check_(*before, ends[i][0], ends[i][1], rounds, what);
      unchecked = unchecked ? llvm::BinaryOperator::CreateAnd(unchecked, one, "",
                                                              before->getIterator())
                            : one;
    }
    result_.rounds.emplace_back(&decision->front(), rounds);
    split(loop, *before, unchecked, hooks);
    for (const Sweep& sweep : sweeps) covered_.insert(sweep.hooks.begin(), sweep.hooks.end());
  }

  // The accesses that can be checked before the loop.
  std::vector<Sweep> sweeps_of(llvm::Loop& loop, llvm::BasicBlock& latch,
                               const std::vector<size_t>& hooks) {
    const llvm::Instruction* before = loop.getLoopPreheader()->getTerminator();
    std::vector<Sweep> sweeps;
    for (size_t hook : hooks) {
      const Hooked& hooked = result_.selection.hooked[hook];
      if (!tree_.dominates(hooked.instruction->getParent(), &latch)) continue;
      const Touched memory = touched(hooked);
      const llvm::SCEV* address = evolution_.getSCEV(memory.pointer);
      const llvm::SCEV* step = evolution_.getZero(llvm::Type::getInt64Ty(body_.getContext()));
      const llvm::SCEV* first = address;
      if (const auto* moving = dyn_cast<llvm::SCEVAddRecExpr>(address)) {
        if (moving->getLoop() != &loop || !moving->isAffine()) continue;
        first = moving->getStart();
        step = moving->getStepRecurrence(evolution_);
      }
      if (!evolution_.isLoopInvariant(first, &loop) || !evolution_.isLoopInvariant(step, &loop) ||
          !expander_.isSafeToExpandAt(first, before) || !expander_.isSafeToExpandAt(step, before))
        continue;
      add(sweeps, {first, step, memory.size, isa<llvm::StoreInst>(hooked.instruction), {hook}});
    }
    merge_neighbors(sweeps);
    return sweeps;
  }

  // A write of the same memory checks more than a read.
  static void add(std::vector<Sweep>& sweeps, Sweep&& added) {
    for (Sweep& sweep : sweeps) {
      if (sweep.first != added.first || sweep.step != added.step || sweep.size != added.size)
        continue;
      sweep.write |= added.write;
      sweep.hooks.insert(sweep.hooks.end(), added.hooks.begin(), added.hooks.end());
      return;
    }
    sweeps.push_back(std::move(added));
  }

  // One sweep for two of the same step that lie behind each other: the second touches what follows
  // the bytes of the first, or begins a granule later at most, and both together leave none out.
  void merge_neighbors(std::vector<Sweep>& sweeps) {
    for (bool merged = true; merged;) {
      merged = false;
      for (size_t i = 0; i < sweeps.size() && !merged; i++) {
        for (size_t j = 0; j < sweeps.size() && !merged; j++)
          merged = i != j && merge(sweeps[i], sweeps[j]) && (sweeps.erase(sweeps.begin() + static_cast<ptrdiff_t>(j)), true);
      }
    }
  }

  bool merge(Sweep& one, Sweep& behind) {
    if (one.step != behind.step || one.write != behind.write) return false;
    const auto* distance =
        dyn_cast<llvm::SCEVConstant>(evolution_.getMinusSCEV(behind.first, one.first));
    if (!distance || distance->getAPInt().getSignificantBits() > 32) return false;
    const int64_t apart = distance->getAPInt().getSExtValue();
    const auto size = static_cast<int64_t>(one.size);
    if (apart < 0 || apart > size) return false;
    const int64_t together = std::max(size, apart + static_cast<int64_t>(behind.size));
    if (together > 4096) return false;
    one.size = static_cast<uint64_t>(together);
    one.hooks.insert(one.hooks.end(), behind.hooks.begin(), behind.hooks.end());
    return true;
  }

  // The loop becomes the one without checks; a copy of it has them.
  void split(llvm::Loop& loop, llvm::Instruction& before, llvm::Value* unchecked,
             const std::vector<size_t>& hooks) {
    llvm::BasicBlock* decision = before.getParent();
    llvm::BasicBlock* own = llvm::SplitBlock(decision, &before, &tree_, &loops_);
    llvm::BasicBlock* exit = loop.getExitBlock();
    llvm::BasicBlock* latch = loop.getLoopLatch();
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
    for (size_t hook : hooks) {
      Hooked copy = result_.selection.hooked[hook];
      copy.instruction = llvm::cast<llvm::Instruction>(&*copies[copy.instruction]);
      copied_.push_back({copy, result_.sites[hook]});
    }
  }

  void drop_covered() {
    Selection& selection = result_.selection;
    std::vector<Hooked> hooked;
    std::vector<uint32_t> sites;
    for (size_t i = 0; i < selection.hooked.size(); i++) {
      if (covered_.contains(i)) continue;
      hooked.push_back(selection.hooked[i]);
      sites.push_back(result_.sites[i]);
    }
    for (const auto& [copy, site] : copied_) {
      hooked.push_back(copy);
      sites.push_back(site);
    }
    selection.hooked = std::move(hooked);
    result_.sites = std::move(sites);
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
  WatchedLoops result_;
  Places places_;
  llvm::DenseSet<size_t> covered_;  // hooks that need no check any more
  std::vector<std::pair<Hooked, uint32_t>> copied_;
};

}  // namespace

WatchedLoops check_before_loops(llvm::Function& body, Selection selection,
                                std::vector<uint32_t> sites, CheckLoop check) {
  return Loops(body, std::move(selection), std::move(sites), check).run();
}

}  // namespace foretell::pass
