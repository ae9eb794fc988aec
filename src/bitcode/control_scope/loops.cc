// SPDX-License-Identifier: Apache-2.0

#include "bitcode/control_scope/loops.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/TargetParser/Triple.h>

namespace foretell::bitcode {
namespace {

// What FORETELL_LOOP_TERMINATES leaves in the code.
constexpr llvm::StringLiteral kMarker = "# foretell: this loop terminates";

bool is_marker(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (!call || !call->isInlineAsm()) return false;
  const auto* assembly = llvm::cast<llvm::InlineAsm>(call->getCalledOperand());
  return llvm::StringRef(assembly->getAsmString()).trim() == kMarker;
}

}  // namespace

void forget_undefined_behavior(llvm::Module& module) {
  for (llvm::Function& function : module) {
    function.removeFnAttr(llvm::Attribute::MustProgress);
    if (function.isDeclaration()) continue;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      instruction.dropPoisonGeneratingAnnotations();
      if (instruction.isTerminator()) instruction.setMetadata(llvm::LLVMContext::MD_loop, nullptr);
    }
  }
}

EndingLoops ending_loops(llvm::Function& function) {
  EndingLoops ending;
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  if (loops.empty()) return ending;
  const llvm::TargetLibraryInfoImpl library(llvm::Triple(function.getParent()->getTargetTriple()));
  llvm::TargetLibraryInfo functions(library);
  llvm::AssumptionCache assumptions(function);
  llvm::ScalarEvolution evolution(function, functions, assumptions, dominators, loops);
  llvm::DenseSet<const llvm::Loop*> declared;
  for (const llvm::Instruction& instruction : llvm::instructions(function))
    if (is_marker(instruction)) declared.insert(loops.getLoopFor(instruction.getParent()));
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    const llvm::SCEV* bound = evolution.getConstantMaxBackedgeTakenCount(loop);
    const llvm::SCEV* count = evolution.getSymbolicMaxBackedgeTakenCount(loop);
    const bool is_bounded = !llvm::isa<llvm::SCEVCouldNotCompute>(bound) ||
                            !llvm::isa<llvm::SCEVCouldNotCompute>(count);
    if (!is_bounded && !declared.contains(loop)) continue;
    for (const llvm::BasicBlock* block : loop->blocks()) ending[loop->getHeader()].insert(block);
  }
  return ending;
}

}  // namespace foretell::bitcode
