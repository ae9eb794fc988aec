// SPDX-License-Identifier: Apache-2.0

// Calls: of known functions, of library functions by their effect, and of the unknown.

#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalAlias.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>

#include "bitcode/points_to/points_to.h"

namespace foretell::bitcode {

using llvm::dyn_cast;
using program::AccessKind;

Node PointsTo::argument(const llvm::CallBase& call, unsigned index) {
  return index < call.arg_size() ? of(call.getArgOperand(index)) : kNothing;
}

std::vector<Node> PointsTo::pointer_arguments(const llvm::CallBase& call) {
  std::vector<Node> pointers;
  for (const llvm::Use& one : call.args())
    if (one->getType()->isPtrOrPtrVectorTy()) pointers.push_back(of(one));
  return pointers;
}

void PointsTo::touch_arguments(const llvm::CallBase& call) {
  for (Node pointer : pointer_arguments(call)) touch(call, AccessKind::update, pointer);
}

void PointsTo::visit_call(const llvm::CallBase& call) {
  if (call.isInlineAsm()) return visit_assembly(call);
  const auto* target = dyn_cast<llvm::GlobalAlias>(call.getCalledOperand());
  const auto* callee =
      dyn_cast<llvm::Function>(target ? target->getAliaseeObject() : call.getCalledOperand());
  if (!callee) {
    call_back(call, of(call.getCalledOperand()), {}, Callback::indirect_call);
  } else if (callee->isIntrinsic()) {
    visit_intrinsic(call);
  } else {
    connect(call, *callee, false);
  }
}

void PointsTo::visit_assembly(const llvm::CallBase& call) {
  const auto* assembly = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
  touch_arguments(call);
  const llvm::StringRef text = llvm::StringRef(assembly->getAsmString()).trim();
  if (text.empty() || text.starts_with("#")) {
    // It only keeps the compiler from knowing that the result is the argument.
    for (const llvm::Use& one : call.args()) solver_.copy(of(one), of(&call));
    return;
  }
  assembly_uses_++;
  expose_names(assembly->getAsmString());
  visit_unknown(call);
}

void PointsTo::connect(const llvm::CallBase& call, const llvm::Function& callee, bool is_indirect) {
  calls_.push_back({&call, &callee, is_indirect});
  if (callee.isDeclaration()) return visit_external(call, callee);
  for (unsigned i = 0; i < call.arg_size(); i++) {
    if (i < callee.arg_size())
      solver_.copy(argument(call, i), of(callee.getArg(i)));
    else if (callee.isVarArg())
      solver_.store(pointing_to(variadic_of(callee)), argument(call, i), {});
  }
  if (call.getType()->isVoidTy()) return;
  const bool is_wrapper = !is_indirect && !wrappers_.allocations_of(callee).empty();
  if (!is_wrapper) return solver_.copy(result_of(callee), of(&call));
  for (ObjectId own : allocated_by(call)) solver_.point(of(&call), own);
}

const std::vector<ObjectId>& PointsTo::allocated_by(const llvm::CallBase& call) {
  if (const auto known = allocated_.find(&call); known != allocated_.end()) return known->second;
  std::vector<ObjectId> objects;
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee || callee->isDeclaration()) {
    std::optional<uint64_t> size;
    if (callee && externals_.of(callee->getName()).effect == Effect::allocates &&
        call.arg_size() == 1)
      if (const auto* amount = dyn_cast<llvm::ConstantInt>(call.getArgOperand(0)))
        size = amount->getZExtValue();
    objects.push_back(add_object({.kind = MadeOf::heap, .value = &call}, size));
  } else {
    for (const llvm::CallBase* allocation : wrappers_.allocations_of(*callee)) {
      for (ObjectId original : std::vector(allocated_by(*allocation))) {
        objects.push_back(add_object({.kind = MadeOf::heap,
                                      .value = objects_[number(original)].value,
                                      .wrapper_call = &call,
                                      .cloned_from = original},
                                     {}));
        solver_.add_clone(original, objects.back());
      }
    }
  }
  return allocated_[&call] = std::move(objects);
}

void PointsTo::visit_unknown(const llvm::CallBase& call) {
  for (const llvm::Use& one : call.args())
    if (can_hold_pointer(*one->getType())) escape(of(one));
  if (can_hold_pointer(*call.getType())) make_unknown(of(&call));
}

void PointsTo::call_back(const llvm::CallBase& call, Node function, std::vector<Node> arguments,
                         Callback kind) {
  watchers_.push_back({&call, kind, std::move(arguments)});
  solver_.watch(function, static_cast<uint32_t>(watchers_.size() - 1));
}

void PointsTo::visit_external(const llvm::CallBase& call, const llvm::Function& callee) {
  const llvm::StringRef name = callee.getName();
  // Nobody but the caller is touched by a function without memory, whatever it is.
  if (callee.doesNotAccessMemory() && !can_hold_pointer(*call.getType())) return;
  // ld --wrap sends calls of NAME to __wrap_NAME.
  const llvm::Function* wrapper = module_.getFunction(("__wrap_" + name).str());
  const External& external = externals_.of(name);
  const Effect effect = wrapper ? Effect::unknown : external.effect;
  for (unsigned i = 0; i < call.arg_size(); i++) {
    if (!call.getArgOperand(i)->getType()->isPtrOrPtrVectorTy()) continue;
    touch(call, external.writes_through(i) ? AccessKind::update : AccessKind::read,
          argument(call, i));
  }
  if (effect != Effect::unknown) return visit_effect(call, effect);
  unknown_functions_[name.str()]++;
  visit_unknown(call);
  if (wrapper) escape(of(wrapper));
}

void PointsTo::visit_allocation(const llvm::CallBase& call, Effect effect) {
  const ObjectId object = allocated_by(call).front();
  const Node memory = pointing_to(object);
  if (effect == Effect::allocates_into_first) {
    solver_.store(argument(call, 0), memory, 8);
  } else {
    solver_.copy(memory, of(&call));
    // realloc and strdup: what the argument holds, the new memory does.
    for (Node pointer : pointer_arguments(call)) solver_.copy_memory(memory, pointer, {});
  }
  // calloc and strdup fill it, and whoever allocates memory has had it.
  touch(call, AccessKind::write, memory);
}

// Arguments may be stored in each other, and in memory that is allocated for them.
void PointsTo::visit_mixing(const llvm::CallBase& call) {
  const Node mixed = solver_.add_node();
  for (Node pointer : pointer_arguments(call)) solver_.shift(pointer, mixed, kAnywhere);
  const ObjectId object = add_object({.kind = MadeOf::heap, .value = &call}, {});
  solver_.shift(pointing_to(object), mixed, kAnywhere);
  solver_.load(mixed, mixed, {});
  solver_.store(mixed, mixed, {});
  if (can_hold_pointer(*call.getType())) solver_.copy(mixed, of(&call));
}

// std::thread hands over an object; the new thread calls its virtual function _M_run and deletes it
// by its virtual destructor (libstdc++, bits/std_thread.h).
void PointsTo::visit_std_thread(const llvm::CallBase& call) {
  const Node state = solver_.add_node(), table = solver_.add_node();
  solver_.load(argument(call, 1), state, 8);
  solver_.load(state, table, 8);
  handed_over_.push_back(state);
  for (const int64_t slot : {8, 16}) {
    const Node place = solver_.add_node(), function = solver_.add_node();
    solver_.shift(table, place, {slot, 0});
    solver_.load(place, function, 8);
    call_back(call, function, {state}, Callback::entry);
  }
}

void PointsTo::visit_effect(const llvm::CallBase& call, Effect effect) {
  const Node first = argument(call, 0), result = of(&call);
  switch (effect) {
    case Effect::touches:
    case Effect::frees:
      return;
    case Effect::copies:
      solver_.copy_memory(anywhere(first), argument(call, 1), {});
      return solver_.shift(first, result, kAnywhere);
    case Effect::points_into:
      return solver_.shift(first, result, kAnywhere);
    case Effect::mixes:
      return visit_mixing(call);
    case Effect::transmits:
      for (Node pointer : pointer_arguments(call)) {
        solver_.load(pointer, solver_.escaped(), {});
        solver_.store(pointer, solver_.unknown(), {});
      }
      if (call.getType()->isPointerTy()) solver_.copy(first, result);
      return;
    case Effect::finds:
      return make_unknown(result);
    case Effect::allocates:
    case Effect::allocates_into_first:
    case Effect::reallocates:
      return visit_allocation(call, effect);
    case Effect::calls_on_elements: {
      // (base, ..., function): elements are moved, and compared with each other or with a key.
      const Node function = argument(call, call.arg_size() - 1);
      const Node elements = anywhere(first), moved = solver_.add_node();
      if (call.getArgOperand(1)->getType()->isPointerTy())
        solver_.shift(argument(call, 1), elements, kAnywhere);
      else
        solver_.copy_memory(elements, elements, {});
      solver_.copy(elements, moved);
      if (call.getType()->isPointerTy()) solver_.copy(moved, result);
      return call_back(call, function, {moved, moved}, Callback::call);
    }
    case Effect::calls_once:
      return call_back(call, argument(call, 1), {}, Callback::call);
    case Effect::calls_at_thread_exit:
      return call_back(call, first, {argument(call, 1)}, Callback::call);
    case Effect::calls_at_exit:
      return call_back(call, first, {argument(call, 1)}, Callback::exit_handler);
    case Effect::starts_thread:
      handed_over_.push_back(argument(call, 3));
      return call_back(call, argument(call, 2), {argument(call, 3)}, Callback::entry);
    case Effect::starts_thread_c11:
      handed_over_.push_back(argument(call, 2));
      return call_back(call, argument(call, 1), {argument(call, 2)}, Callback::entry);
    case Effect::starts_std_thread:
      return visit_std_thread(call);
    case Effect::joins_thread:
      // What a thread returns is handed over; here it arrives.
      return solver_.store(argument(call, 1), thread_result_, 8);
    case Effect::ends_thread:
      ends_threads_ = true;
      return solver_.copy(first, thread_result_);
    case Effect::exits:
      exiting_.push_back(call.getFunction());
      return;
    case Effect::shares:
    case Effect::unknown:
      return visit_unknown(call);
  }
}

}  // namespace foretell::bitcode
