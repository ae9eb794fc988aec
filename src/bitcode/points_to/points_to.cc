// SPDX-License-Identifier: Apache-2.0

#include "bitcode/points_to/points_to.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

namespace foretell::bitcode {

using llvm::dyn_cast;
using llvm::isa;

PointsTo::PointsTo(llvm::Module& module, const Surroundings& surroundings,
                   const Externals& externals)
    : module_(module), externals_(externals), wrappers_(module, externals) {
  solver_.set_word(module.getDataLayout().getPointerSize());
  objects_.push_back({.kind = MadeOf::unknown});
  thread_result_ = solver_.add_node();
  handed_over_.push_back(thread_result_);
  visit_globals();
  for (const llvm::Function& function : module)
    for (const llvm::Instruction& instruction : llvm::instructions(function)) visit(instruction);
  expose(surroundings);
  if (const llvm::Function* main = module.getFunction("main"))
    for (const llvm::Argument& argument : main->args()) make_unknown(of(&argument));
  solver_.solve({.reached = [this](uint32_t watcher, ObjectId object) { reached(watcher, object); },
                 .escaped = [this](ObjectId object) { escaped(object); }});
  add_unknown_callees();
}

// A pointer to the unknown may be one to any function that has escaped.
void PointsTo::add_unknown_callees() {
  for (uint32_t i = 0; i < watchers_.size(); i++) {
    const Watcher& watcher = watchers_[i];
    if (watcher.kind != Callback::indirect_call || !unknown_calls_.contains(watcher.call)) continue;
    for (const llvm::Function& function : module_)
      if (const auto known = globals_.find(&function); known != globals_.end() &&
                                                       solver_.has_escaped(known->second) &&
                                                       !reached_.contains({i, known->second}))
        calls_.push_back({watcher.call, &function, true});
  }
}

bool can_hold_pointer(const llvm::Type& type) {
  if (type.isVoidTy() || type.isFloatingPointTy() || type.isMetadataTy() || type.isTokenTy())
    return false;
  if (type.isIntegerTy()) return type.getIntegerBitWidth() >= 64;
  return true;
}

// --- Values -------------------------------------------------------------------------------------

ObjectId PointsTo::add_object(AbstractObject object, std::optional<uint64_t> size) {
  objects_.push_back(object);
  return solver_.add_object(size);
}

Node PointsTo::pointing_to(ObjectId object) {
  const Node node = solver_.add_node();
  solver_.point(node, object);
  return node;
}

Node PointsTo::anywhere(Node pointer) {
  const Node node = solver_.add_node();
  solver_.shift(pointer, node, kAnywhere);
  return node;
}

Extent PointsTo::extent_of(const llvm::Type* type) const {
  const llvm::TypeSize size =
      module_.getDataLayout().getTypeStoreSize(const_cast<llvm::Type*>(type));
  return size.isScalable() ? Extent{} : Extent{size.getFixedValue()};
}

// Parameters, loads and calls get more while solving; what an operator computes is known now.
NodeKind PointsTo::kind_of(const llvm::Value& value) const {
  if (isa<llvm::Constant>(value)) return NodeKind::closed;
  if (isa<llvm::Argument>(value) || isa<llvm::LoadInst>(value) || isa<llvm::CallBase>(value) ||
      isa<llvm::AtomicRMWInst>(value) || isa<llvm::AtomicCmpXchgInst>(value) ||
      isa<llvm::VAArgInst>(value))
    return NodeKind::open;
  return NodeKind::closed;
}

Node PointsTo::result_of(const llvm::Function& function) {
  const auto [at, is_new] = results_.try_emplace(&function);
  if (is_new) at->second = solver_.add_node(NodeKind::open);
  return at->second;
}

// Where a function finds its arguments that have no names.
ObjectId PointsTo::variadic_of(const llvm::Function& function) {
  const auto known = variadics_.find(&function);
  if (known != variadics_.end()) return known->second;
  const ObjectId object = add_object({.kind = MadeOf::hidden, .value = &function}, {});
  variadics_[&function] = object;
  return object;
}

Node PointsTo::of(const llvm::Value* value) {
  if (const auto* global = dyn_cast<llvm::GlobalValue>(value)) return of_global(*global);
  // Numbers, null and undefined values point to nothing.
  if (isa<llvm::ConstantData>(value) || isa<llvm::MetadataAsValue>(value)) return kNothing;
  if (value->getType()->isIntegerTy(1)) return kNothing;
  const auto known = of_.find(value);
  if (known != of_.end()) return known->second;
  if (const auto* constant = dyn_cast<llvm::Constant>(value)) {
    const Node node = of_constant(*constant);
    of_[value] = node;
    return node;
  }
  const Node node = solver_.add_node(kind_of(*value));
  of_[value] = node;
  return node;
}

Node PointsTo::of_global(const llvm::GlobalValue& global) {
  if (const auto* alias = dyn_cast<llvm::GlobalAlias>(&global)) return of(alias->getAliasee());
  const auto known = of_.find(&global);
  if (known != of_.end()) return known->second;
  const Node node = solver_.add_node(NodeKind::closed);
  of_[&global] = node;
  solver_.point(node, object_of(global));
  return node;
}

Node PointsTo::of_constant(const llvm::Constant& constant) {
  if (const auto* equivalent = dyn_cast<llvm::DSOLocalEquivalent>(&constant))
    return of(equivalent->getGlobalValue());
  if (const auto* no_cfi = dyn_cast<llvm::NoCFIValue>(&constant))
    return of(no_cfi->getGlobalValue());
  if (isa<llvm::BlockAddress>(constant)) return kNothing;
  const Node node = solver_.add_node(NodeKind::closed);
  if (const auto* address = dyn_cast<llvm::GEPOperator>(&constant)) {
    visit_address(*address, node, /*is_repeated=*/false);
    return node;
  }
  const auto* expression = dyn_cast<llvm::ConstantExpr>(&constant);
  const bool is_cast = expression && expression->isCast();
  for (const llvm::Use& operand : constant.operands()) {
    // What is computed from an address may be any address nearby.
    if (!expression || is_cast)
      solver_.copy(of(operand), node);
    else
      solver_.shift(of(operand), node, kAnywhere);
  }
  return node;
}

// --- Found while solving ------------------------------------------------------------------------

void PointsTo::reached(uint32_t watcher, ObjectId object) {
  const bool is_function = objects_[number(object)].kind == MadeOf::function;
  if (object != kUnknownObject && !is_function) return;
  if (!reached_.insert({watcher, object}).second) return;
  const Watcher called = watchers_[watcher];
  if (object == kUnknownObject) {
    unknown_calls_.insert(called.call);
    if (called.kind == Callback::indirect_call) return visit_unknown(*called.call);
    for (Node argument : called.arguments) escape(argument);
  } else {
    reached_function(called, *llvm::cast<llvm::Function>(objects_[number(object)].value));
  }
}

void PointsTo::reached_function(const Watcher& called, const llvm::Function& function) {
  if (called.kind == Callback::indirect_call) return connect(*called.call, function, true);
  if (function.isDeclaration()) {
    for (Node argument : called.arguments) escape(argument);
    unknown_functions_[function.getName().str()]++;
    return;
  }
  for (size_t k = 0; k < called.arguments.size(); k++) {
    if (k < function.arg_size())
      solver_.copy(called.arguments[k], of(function.getArg(static_cast<unsigned>(k))));
    else
      solver_.store(pointing_to(variadic_of(function)), called.arguments[k], {});
  }
  switch (called.kind) {
    case Callback::indirect_call:
    case Callback::call:
      calls_.push_back({called.call, &function, true});
      return;
    case Callback::exit_handler:
      exit_handlers_.insert(&function);
      return;
    case Callback::entry:
      entries_.insert(&function);
      solver_.copy(result_of(function), thread_result_);
      return;
  }
}

// Functions the unknown knows may be called by any thread, with anything.
void PointsTo::escaped(ObjectId object) {
  if (objects_[number(object)].kind != MadeOf::function) return;
  const auto* function = llvm::cast<llvm::Function>(objects_[number(object)].value);
  if (function->isDeclaration()) return;
  entries_.insert(function);
  for (const llvm::Argument& argument : function->args()) make_unknown(of(&argument));
  solver_.store(pointing_to(variadic_of(*function)), solver_.unknown(), {});
  escape(result_of(*function));
}

}  // namespace foretell::bitcode
