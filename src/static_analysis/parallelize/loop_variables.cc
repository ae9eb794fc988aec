// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/parallelize/loop_variables.h"

#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

namespace foretell::static_analysis {
namespace {

// The variable, and the place of the assignment, of each assignment in a block.
template <typename F>
void for_each_assignment(llvm::BasicBlock& block, F visit) {
  for (llvm::Instruction& instruction : block) {
    for (llvm::DbgVariableRecord& record : llvm::filterDbgVars(instruction.getDbgRecordRange()))
      if (record.isDbgValue()) visit(*record.getVariable(), *record.getDebugLoc().get());
    if (const auto* value = llvm::dyn_cast<llvm::DbgValueInst>(&instruction))
      visit(*value->getVariable(), *value->getDebugLoc().get());
  }
}

}  // namespace

std::set<std::string> variables_of(const llvm::Value& value, const llvm::DebugLoc& near) {
  llvm::SmallVector<llvm::DbgValueInst*> instructions;
  llvm::SmallVector<llvm::DbgVariableRecord*> records;
  llvm::findDbgValues(instructions, const_cast<llvm::Value*>(&value), &records);
  std::set<std::string> names;
  const auto add = [&](const llvm::DILocalVariable& variable, const llvm::DILocation& at) {
    if (near && at.getInlinedAt() == near->getInlinedAt() &&
        variable.getScope()->getSubprogram() == near->getScope()->getSubprogram())
      names.insert(variable.getName().str());
  };
  for (const auto* one : records) add(*one->getVariable(), *one->getDebugLoc().get());
  for (const auto* one : instructions) add(*one->getVariable(), *one->getDebugLoc().get());
  return names;
}

void find_privates(const llvm::Loop& loop, const std::vector<std::string>& reduced,
                   std::vector<std::string>& privates) {
  const llvm::DebugLoc start = loop.getStartLoc();
  if (!start) return;
  for (llvm::BasicBlock* block : loop.blocks())
    for_each_assignment(
        *block, [&](const llvm::DILocalVariable& variable, const llvm::DILocation& at) {
          const std::string name = variable.getName().str();
          // Of the function of the loop, and declared before it.
          if (at.getInlinedAt() != start->getInlinedAt() || variable.getLine() >= start.getLine() ||
              variable.getScope()->getSubprogram() != start->getScope()->getSubprogram())
            return;
          if (std::ranges::count(reduced, name) != 0 || std::ranges::count(privates, name) != 0)
            return;
          privates.push_back(name);
        });
}

}  // namespace foretell::static_analysis
