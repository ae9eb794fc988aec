// SPDX-License-Identifier: Apache-2.0

// Global variables, what they hold at the start, and what code nobody can see may use.

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "bitcode/points_to/points_to.h"

namespace foretell::bitcode {

using llvm::dyn_cast;
using llvm::isa;

namespace {

// Lists for the compiler: no code reads them.
bool is_compiler_list(const llvm::GlobalValue& global) {
  return global.getName().starts_with("llvm.");
}

// Virtual tables and type descriptions of libraries: constant, and only their functions are called.
bool is_library_table(llvm::StringRef symbol) {
  return symbol.starts_with("_ZTV") || symbol.starts_with("_ZTI") || symbol.starts_with("_ZTS") ||
         symbol.starts_with("_ZTT");
}

}  // namespace

// The object behind a symbol. Variables of others are part of the unknown.
ObjectId PointsTo::object_of(const llvm::GlobalValue& global) {
  const auto known = globals_.find(&global);
  if (known != globals_.end()) return known->second;
  ObjectId object = kUnknownObject;
  if (isa<llvm::Function>(global)) {
    object = add_object({.kind = MadeOf::function, .value = &global}, 1);
  } else if (const auto* variable = dyn_cast<llvm::GlobalVariable>(&global)) {
    if (!variable->isDeclaration()) {
      const MadeOf kind = variable->isThreadLocal() ? MadeOf::thread_local_variable
                          : variable->isConstant()  ? MadeOf::constant
                                                    : MadeOf::global;
      object = add_object({.kind = kind, .value = variable},
                          module_.getDataLayout().getTypeAllocSize(variable->getValueType()));
    } else if (is_library_table(variable->getName())) {
      object = add_object({.kind = MadeOf::constant, .value = variable}, {});
      solver_.store(pointing_to(object), solver_.unknown(), {});
    }
  }
  globals_[&global] = object;
  return object;
}

void PointsTo::visit_globals() {
  for (const llvm::GlobalVariable& global : module_.globals()) {
    if (is_compiler_list(global)) continue;
    const ObjectId object = object_of(global);
    if (!global.isDeclaration()) visit_initial(pointing_to(object), *global.getInitializer(), 0);
  }
  for (const llvm::GlobalIFunc& indirect : module_.ifuncs()) escape(of(indirect.getResolver()));
}

// Stores the pointers in the initial value of a variable.
void PointsTo::visit_initial(Node object, const llvm::Constant& initial, uint64_t offset) {
  const llvm::DataLayout& layout = module_.getDataLayout();
  if (isa<llvm::ConstantData>(initial)) return;
  const auto* aggregate = dyn_cast<llvm::ConstantAggregate>(&initial);
  if (!aggregate) {
    const Node value = of(&initial);
    if (value == kNothing) return;
    const Node place = solver_.add_node(NodeKind::closed);
    solver_.shift(object, place, {static_cast<int64_t>(offset), 0});
    return solver_.store(place, value, extent_of(initial.getType()));
  }
  for (unsigned i = 0; i < aggregate->getNumOperands(); i++) {
    uint64_t at = 0;
    if (auto* structure = dyn_cast<llvm::StructType>(initial.getType()))
      at = layout.getStructLayout(structure)->getElementOffset(i);
    else
      at = i * layout.getTypeAllocSize(aggregate->getOperand(i)->getType()).getFixedValue();
    visit_initial(object, *aggregate->getOperand(i), offset + at);
  }
}

// Symbols that code outside the bitcode can name have escaped. Only the start-up code calls main.
void PointsTo::expose(const Surroundings& surroundings) {
  const auto expose_one = [&](const llvm::GlobalValue* global) {
    if (global && global->getName() != "main") escape(of(global));
  };
  for (const std::string& name : surroundings.exported) expose_one(module_.getNamedValue(name));
  if (surroundings.all_exported)
    for (const llvm::GlobalValue& global : module_.global_values())
      if (!global.hasLocalLinkage() && !is_compiler_list(global) && !global.isDeclaration())
        expose_one(&global);
  // __attribute__((used)): by whom, the compiler cannot see.
  llvm::SmallVector<llvm::GlobalValue*, 8> used;
  llvm::collectUsedGlobalVariables(module_, used, /*CompilerUsed=*/false);
  llvm::collectUsedGlobalVariables(module_, used, /*CompilerUsed=*/true);
  for (const llvm::GlobalValue* global : used) escape(of(global));
  if (!module_.getModuleInlineAsm().empty()) {
    assembly_uses_++;
    expose_names(module_.getModuleInlineAsm());
  }
}

// Assembly can name symbols without taking them as operands.
void PointsTo::expose_names(llvm::StringRef assembly) {
  const auto in_name = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$'; };
  while (!assembly.empty()) {
    const llvm::StringRef word = assembly.take_while(in_name);
    assembly = assembly.drop_front(std::max<size_t>(word.size(), 1));
    if (word.empty()) continue;
    if (const llvm::GlobalValue* global = module_.getNamedValue(word)) escape(of(global));
  }
}

}  // namespace foretell::bitcode
