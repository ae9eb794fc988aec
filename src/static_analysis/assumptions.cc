// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/assumptions.h"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <set>

#include "static_analysis/subject.h"
#include "static_analysis/sync/lock_sets.h"

namespace foretell::static_analysis {

using llvm::dyn_cast;

namespace {

bool changes_contexts(llvm::StringRef name) {
  return name == "setjmp" || name == "_setjmp" || name == "__sigsetjmp" || name == "sigsetjmp" ||
         name == "longjmp" || name == "siglongjmp" || name == "swapcontext" || name == "fork" ||
         name == "vfork" || name == "dlopen";
}

}  // namespace

bool is_accepted(const Assumption& assumption, const std::vector<std::string>& accepted) {
  return std::ranges::any_of(
      accepted, [&](const std::string& name) { return name == "all" || name == assumption.name; });
}

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

}  // namespace foretell::static_analysis
