// SPDX-License-Identifier: Apache-2.0

// Calls: of known functions, of library functions by their effect, and of the unknown.

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Intrinsics.h>

#include "bitcode/points_to.h"

namespace foretell::bitcode {

using llvm::dyn_cast;
using llvm::isa;
using program::AccessKind;

namespace {

// Whether a value of this type in a register can be a pointer.
bool can_hold_pointer(const llvm::Type* type) {
  if (type->isVoidTy() || type->isFloatingPointTy() || type->isMetadataTy() || type->isTokenTy())
    return false;
  if (type->isIntegerTy()) return type->getIntegerBitWidth() >= 64;
  return true;
}

}  // namespace

void PointsTo::touch_arguments(const llvm::CallBase& call) {
  for (const llvm::Use& argument : call.args())
    if (argument->getType()->isPtrOrPtrVectorTy()) touch(call, AccessKind::update, of(argument));
}

void PointsTo::visit_call(const llvm::CallBase& call) {
  if (call.isInlineAsm()) return visit_assembly(call);
  const auto* target = llvm::dyn_cast<llvm::GlobalAlias>(call.getCalledOperand());
  const auto* callee =
      dyn_cast<llvm::Function>(target ? target->getAliaseeObject() : call.getCalledOperand());
  if (!callee) {
    indirect_.push_back(&call);
  } else if (callee->isIntrinsic()) {
    visit_intrinsic(call);
  } else {
    connect(call, *callee, false);
  }
}

void PointsTo::visit_assembly(const llvm::CallBase& call) {
  const auto* assembly = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
  touch_arguments(call);
  if (llvm::StringRef(assembly->getAsmString()).trim().empty()) {
    // It only keeps the compiler from knowing that the result is the argument.
    for (const llvm::Use& argument : call.args()) classes_.unite(of(&call), of(argument));
    return;
  }
  assembly_uses_++;
  expose_names(assembly->getAsmString(), module_);
  visit_unknown(call);
}

void PointsTo::connect(const llvm::CallBase& call, const llvm::Function& callee, bool is_indirect) {
  calls_.push_back({&call, &callee, is_indirect});
  if (callee.isDeclaration()) return visit_external(call, callee);
  for (unsigned i = 0; i < call.arg_size(); i++) {
    if (i < callee.arg_size())
      classes_.unite(of(callee.getArg(i)), of(call.getArgOperand(i)));
    else
      classes_.unite(variadic_of(callee), of(call.getArgOperand(i)));
  }
  if (!call.getType()->isVoidTy()) classes_.unite(of(&call), result_of(callee));
}

void PointsTo::visit_unknown(const llvm::CallBase& call) {
  for (const llvm::Use& argument : call.args())
    if (can_hold_pointer(argument->getType())) classes_.make_unknown(of(argument));
  if (can_hold_pointer(call.getType())) classes_.make_unknown(of(&call));
}

void PointsTo::visit_allocation(const llvm::CallBase& call, Effect effect) {
  ClassId memory = of(&call);
  if (effect == Effect::allocates_into_first) {
    memory = classes_.add();
    classes_.unite(content_of(call.getArgOperand(0)), memory);
  } else if (effect == Effect::reallocates) {
    classes_.unite(memory, of(call.getArgOperand(0)));
  } else {
    // strdup: what the argument holds, the new memory does.
    for (const llvm::Use& argument : call.args())
      if (argument->getType()->isPointerTy())
        classes_.unite(classes_.content(memory), content_of(argument));
  }
  made_.push_back({&call, memory});
  // calloc and strdup fill it, and whoever allocates memory has had it.
  touch(call, AccessKind::write, memory);
}

void PointsTo::call_back(const llvm::CallBase& call, unsigned function,
                         std::vector<ClassId> arguments, Callback kind) {
  if (function >= call.arg_size()) return visit_unknown(call);
  callbacks_.push_back({&call, of(call.getArgOperand(function)), std::move(arguments), kind});
}

void PointsTo::visit_external(const llvm::CallBase& call, const llvm::Function& callee) {
  const llvm::StringRef name = callee.getName();
  // Nobody but the caller is touched by a function without memory, whatever it is.
  if (callee.doesNotAccessMemory() && !can_hold_pointer(call.getType())) return;
  // ld --wrap sends calls of NAME to __wrap_NAME.
  const llvm::Function* wrapper = module_.getFunction(("__wrap_" + name).str());
  const Effect effect = wrapper ? Effect::unknown : effect_of(name);
  const auto argument = [&](unsigned i) {
    return i < call.arg_size() ? of(call.getArgOperand(i)) : classes_.add();
  };
  std::vector<ClassId> pointers, contents;
  for (const llvm::Use& one : call.args()) {
    if (!one->getType()->isPtrOrPtrVectorTy()) continue;
    pointers.push_back(of(one));
  }
  touch_arguments(call);
  const auto contents_of_all = [&] {
    for (ClassId pointer : pointers) contents.push_back(classes_.content(pointer));
    return contents;
  };
  switch (effect) {
    case Effect::touches:
      return;
    case Effect::copies:
      unite_all(contents_of_all());
      pointers.push_back(of(&call));
      if (call.getType()->isPointerTy()) unite_all(pointers);
      return;
    case Effect::mixes:
      contents_of_all();
      contents.insert(contents.end(), pointers.begin(), pointers.end());
      if (can_hold_pointer(call.getType())) contents.push_back(of(&call));
      return unite_all(contents);
    case Effect::transmits:
      for (ClassId content : contents_of_all()) classes_.make_unknown(content);
      if (call.getType()->isPointerTy()) classes_.unite(of(&call), argument(0));
      return;
    case Effect::finds:
      return classes_.make_unknown(of(&call));
    case Effect::allocates:
    case Effect::allocates_into_first:
    case Effect::reallocates:
      return visit_allocation(call, effect);
    case Effect::calls_on_elements: {
      const unsigned function = call.arg_size() - 1;
      pointers.pop_back();
      unite_all(pointers);
      contents_of_all();
      unite_all(contents);
      if (call.getType()->isPointerTy()) classes_.unite(of(&call), argument(0));
      return call_back(call, function, {argument(0), argument(0)}, Callback::call);
    }
    case Effect::calls_once:
      return call_back(call, 1, {}, Callback::call);
    case Effect::calls_at_thread_exit:
      return call_back(call, 0, {argument(1)}, Callback::call);
    case Effect::calls_at_exit:
      return call_back(call, 0, {argument(1)}, Callback::exit_handler);
    case Effect::starts_thread:
      handed_over_.push_back(argument(3));
      return call_back(call, 2, {argument(3)}, Callback::entry);
    case Effect::starts_thread_c11:
      handed_over_.push_back(argument(2));
      return call_back(call, 1, {argument(2)}, Callback::entry);
    case Effect::starts_std_thread:
      return classes_.make_unknown(classes_.content(argument(1)));
    case Effect::joins_thread:
      // What a thread returns is handed over; here it arrives.
      return classes_.unite(classes_.content(argument(1)), thread_result());
    case Effect::ends_thread:
      ends_threads_ = true;
      return classes_.unite(argument(0), thread_result());
    case Effect::exits:
      exiting_.push_back(call.getFunction());
      return;
    case Effect::shares:
      return visit_unknown(call);
    case Effect::unknown:
      unknown_functions_[name.str()]++;
      visit_unknown(call);
      if (wrapper) classes_.make_unknown(of(wrapper));
      return;
  }
}

void PointsTo::visit_intrinsic(const llvm::CallBase& call) {
  if (isa<llvm::DbgInfoIntrinsic>(call)) return;
  if (const auto* copy = dyn_cast<llvm::AnyMemTransferInst>(&call)) {
    touch(call, AccessKind::read, of(copy->getRawSource()), /*is_source=*/true);
    touch(call, AccessKind::write, of(copy->getRawDest()));
    return classes_.unite(content_of(copy->getRawDest()), content_of(copy->getRawSource()));
  }
  if (const auto* set = dyn_cast<llvm::AnyMemSetInst>(&call))
    return touch(call, AccessKind::write, of(set->getRawDest()));
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::lifetime_start:
    case llvm::Intrinsic::lifetime_end:
    case llvm::Intrinsic::invariant_start:
    case llvm::Intrinsic::invariant_end:
    case llvm::Intrinsic::assume:
    case llvm::Intrinsic::prefetch:
    case llvm::Intrinsic::stacksave:
    case llvm::Intrinsic::stackrestore:
    case llvm::Intrinsic::vaend:
    case llvm::Intrinsic::trap:
    case llvm::Intrinsic::debugtrap:
    case llvm::Intrinsic::ubsantrap:
    case llvm::Intrinsic::eh_typeid_for:
    case llvm::Intrinsic::objectsize:
    case llvm::Intrinsic::is_constant:
    case llvm::Intrinsic::experimental_noalias_scope_decl:
    case llvm::Intrinsic::sideeffect:
    case llvm::Intrinsic::donothing:
      return;
    case llvm::Intrinsic::vastart:
      // The list points to the arguments that are not named.
      touch(call, AccessKind::write, of(call.getArgOperand(0)));
      return classes_.unite(classes_.content(content_of(call.getArgOperand(0))),
                            variadic_of(*call.getFunction()));
    case llvm::Intrinsic::vacopy:
      touch(call, AccessKind::write, of(call.getArgOperand(0)));
      touch(call, AccessKind::read, of(call.getArgOperand(1)), /*is_source=*/true);
      return classes_.unite(content_of(call.getArgOperand(0)), content_of(call.getArgOperand(1)));
    case llvm::Intrinsic::masked_load:
    case llvm::Intrinsic::masked_gather:
    case llvm::Intrinsic::masked_expandload:
      touch(call, AccessKind::read, of(call.getArgOperand(0)));
      return unite_all({of(&call), content_of(call.getArgOperand(0))});
    case llvm::Intrinsic::masked_store:
    case llvm::Intrinsic::masked_scatter:
    case llvm::Intrinsic::masked_compressstore:
      touch(call, AccessKind::write, of(call.getArgOperand(1)));
      return classes_.unite(of(call.getArgOperand(0)), content_of(call.getArgOperand(1)));
    default:
      break;
  }
  // What computes its result from its operands alone.
  if (call.doesNotAccessMemory() || call.onlyAccessesInaccessibleMemory()) {
    if (!can_hold_pointer(call.getType())) return;
    for (const llvm::Use& argument : call.args())
      if (!argument->getType()->isMetadataTy()) classes_.unite(of(&call), of(argument));
    return;
  }
  unknown_functions_[call.getCalledFunction()->getName().str()]++;
  touch_arguments(call);
  visit_unknown(call);
}

}  // namespace foretell::bitcode
