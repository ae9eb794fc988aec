// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/preparation/inlining.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "static_analysis/preparation/slots.h"

namespace foretell::static_analysis {
namespace {

constexpr size_t kMaxFunction = 30000;  // instructions after inlining
constexpr size_t kMaxProgram = 200000;

class Flattener {
 public:
  void flatten(llvm::Function& function) {
    if (function.isDeclaration() || !entered_.insert(&function).second) return;
    std::vector<llvm::CallBase*> calls;
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) calls.push_back(call);
    for (llvm::CallBase* call : calls)
      if (llvm::Function* callee = direct(*call)) flatten(*callee);
    size_t size = size_of(function);
    for (llvm::CallBase* call : calls) {
      llvm::Function* callee = direct(*call);
      if (!callee || !done_.contains(callee)) continue;  // on the way to itself
      const size_t more = size_of(*callee);
      if (size + more > kMaxFunction || program_ + more > kMaxProgram) continue;
      llvm::InlineFunctionInfo info;
      if (!llvm::InlineFunction(*call, info).isSuccess()) continue;
      size += more;
      program_ += more;
    }
    promote_all_slots(function);
    fold_registers(function);
    done_.insert(&function);
  }

 private:
  static llvm::Function* direct(llvm::CallBase& call) {
    llvm::Function* callee = call.getCalledFunction();
    return callee && !callee->isDeclaration() && !callee->isInterposable() ? callee : nullptr;
  }

  llvm::DenseSet<llvm::Function*> entered_, done_;
  size_t program_ = 0;
};

}  // namespace

size_t size_of(const llvm::Function& function) {
  size_t size = 0;
  for (const llvm::BasicBlock& block : function) size += block.size();
  return size;
}

void flatten(llvm::Module& module, llvm::Function& root) {
  Flattener flattener;
  flattener.flatten(root);
  for (llvm::Function& function : module)
    if (!function.isDeclaration() && function.hasAddressTaken()) flattener.flatten(function);
}

}  // namespace foretell::static_analysis
