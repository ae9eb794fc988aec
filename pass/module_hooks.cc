// SPDX-License-Identifier: Apache-2.0

#include "module_hooks.h"

#include <llvm/IR/Function.h>

#include <cstddef>

#include "recording/hooks.h"

namespace foretell::pass {

namespace {

// The type of a parameter or result of a hook.
template <class T>
llvm::Type* type_of(llvm::LLVMContext& context) {
  if constexpr (std::is_void_v<T>) {
    return llvm::Type::getVoidTy(context);
  } else if constexpr (std::is_pointer_v<T>) {
    return llvm::PointerType::getUnqual(context);
  } else {
    static_assert(std::is_integral_v<T> && sizeof(T) >= 4);
    return llvm::Type::getIntNTy(context, 8 * sizeof(T));
  }
}

// The type of a hook, as recording/hooks.h declares it.
template <class T>
struct Signature;
template <class Result, class... Parameters>
struct Signature<Result(Parameters...)> {
  static llvm::FunctionType* type(llvm::LLVMContext& context) {
    return llvm::FunctionType::get(type_of<Result>(context), {type_of<Parameters>(context)...},
                                   false);
  }
};

llvm::FunctionCallee declare(llvm::Module& module, llvm::StringRef name, llvm::FunctionType* type) {
  return module.getOrInsertFunction(
      name, type,
      llvm::AttributeList().addFnAttribute(module.getContext(), llvm::Attribute::NoUnwind));
}

}  // namespace

Hooks::Hooks(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  auto* word = llvm::Type::getInt32Ty(context);
  auto* wide = llvm::Type::getInt64Ty(context);
  auto* pointer = llvm::PointerType::getUnqual(context);
  auto* thread_type =
      llvm::StructType::get(pointer, wide, word, word, pointer, wide, wide, word, word, pointer,
                            wide, wide, wide, pointer, wide, pointer);
  static_assert(sizeof(ForetellThread) == 112 && offsetof(ForetellThread, regions) == 24 &&
                offsetof(ForetellThread, shadow) == 56);
  thread = cast<llvm::GlobalVariable>(module.getOrInsertGlobal("__foretell_thread", thread_type));
  thread->setThreadLocalMode(llvm::GlobalValue::InitialExecTLSModel);
  thread->setAlignment(llvm::Align(8));
#define FORETELL_DECLARE(hook) \
  hook = declare(module, "__foretell_" #hook, Signature<decltype(__foretell_##hook)>::type(context))
  FORETELL_DECLARE(check);
  FORETELL_DECLARE(many_hits);
  FORETELL_DECLARE(new_region);
  FORETELL_DECLARE(read_range);
  FORETELL_DECLARE(write_range);
  FORETELL_DECLARE(atomic_begin);
  FORETELL_DECLARE(atomic_read);
  FORETELL_DECLARE(atomic_write);
  FORETELL_DECLARE(atomic_rmw);
  FORETELL_DECLARE(fence);
  FORETELL_DECLARE(branch);
  FORETELL_DECLARE(watched_loop);
#undef FORETELL_DECLARE
  // A type that keeps registers matches no Signature.
  using Watched = void(const void*, uint64_t, uint32_t, uint32_t);
  watched = declare(module, "__foretell_watched", Signature<Watched>::type(context));
  work = declare(module, "__foretell_work", Signature<void()>::type(context));
  for (llvm::FunctionCallee rare : {check, many_hits, new_region, watched, work})
    cast<llvm::Function>(rare.getCallee())->addFnAttr(llvm::Attribute::Cold);
  for (llvm::FunctionCallee light : {watched, work})
    cast<llvm::Function>(light.getCallee())->setCallingConv(llvm::CallingConv::PreserveMost);
  // The linker's stub for a function's first call keeps the registers of arguments only.
  for (llvm::FunctionCallee light : {watched, work, watched_loop})
    cast<llvm::Function>(light.getCallee())->addFnAttr(llvm::Attribute::NonLazyBind);
}

}  // namespace foretell::pass
