// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/preparation/thread_copies.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "static_analysis/preparation/inlining.h"
#include "static_analysis/preparation/slots.h"
#include "static_analysis/preparation/unrolling.h"

namespace foretell::static_analysis {
namespace {

constexpr size_t kMaxCopies = 120;
constexpr size_t kMaxCopied = 200000;  // instructions

class Copier {
 public:
  // `chain` holds the functions of the threads that led here.
  void visit(llvm::Function& function, std::vector<llvm::Function*> chain) {
    unroll_thread_loops(function);
    std::vector<llvm::CallBase*> starts;
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction); call && thread_start(*call))
        starts.push_back(call);
    for (llvm::CallBase* call : starts) {
      const ThreadStart start = *thread_start(*call);
      auto* original = llvm::dyn_cast<llvm::Function>(start.function->stripPointerCasts());
      if (!original || original->isDeclaration() || llvm::is_contained(chain, original)) continue;
      const size_t size = size_of(*original);
      if (++copies_ > kMaxCopies || (copied_ += size) > kMaxCopied) continue;
      llvm::ValueToValueMapTy values;
      llvm::Function* copy = llvm::CloneFunction(original, values);
      copy->setName(original->getName() + ".thread");
      copy->setLinkage(llvm::GlobalValue::InternalLinkage);
      call->setArgOperand(start.function_operand, copy);
      if (auto* argument = llvm::dyn_cast<llvm::Constant>(start.argument);
          argument && copy->arg_size() == 1 && copy->getArg(0)->getType() == argument->getType()) {
        copy->getArg(0)->replaceAllUsesWith(argument);
        fold_registers(*copy);
      }
      std::vector<llvm::Function*> longer = chain;
      longer.push_back(original);
      visit(*copy, std::move(longer));
    }
  }

 private:
  size_t copies_ = 0, copied_ = 0;
};

}  // namespace

std::optional<ThreadStart> thread_start(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration()) return {};
  if (callee->getName() == "pthread_create" && call.arg_size() == 4)
    return ThreadStart{call.getArgOperand(0), call.getArgOperand(2), call.getArgOperand(3), 2};
  if (callee->getName() == "thrd_create" && call.arg_size() == 3)
    return ThreadStart{call.getArgOperand(0), call.getArgOperand(1), call.getArgOperand(2), 1};
  return {};
}

llvm::Value* joined_handle(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration() || call.arg_size() != 2) return nullptr;
  const llvm::StringRef name = callee->getName();
  return name == "pthread_join" || name == "thrd_join" ? call.getArgOperand(0) : nullptr;
}

void copy_threads(llvm::Module&, llvm::Function& entry) {
  Copier copier;
  copier.visit(entry, {&entry});
}

}  // namespace foretell::static_analysis
