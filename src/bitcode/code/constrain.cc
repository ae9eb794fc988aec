// SPDX-License-Identifier: Apache-2.0

#include "bitcode/code/constrain.h"

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include "bitcode/code/lower_values.h"
#include "program/code.h"

namespace foretell::bitcode {
namespace {

// f(arguments) at instruction 7 becomes foretell_cover_f(7, arguments).
void replace_call(llvm::CallInst& call, uint32_t id) {
  llvm::Module& module = *call.getModule();
  llvm::Type* number = llvm::Type::getInt32Ty(module.getContext());
  std::vector<llvm::Type*> types{number};
  std::vector<llvm::Value*> arguments{llvm::ConstantInt::get(number, id)};
  for (llvm::Value* argument : call.args()) {
    types.push_back(argument->getType());
    arguments.push_back(argument);
  }
  auto callee =
      module.getOrInsertFunction(("foretell_cover_" + call.getCalledFunction()->getName()).str(),
                                 llvm::FunctionType::get(call.getType(), types, false));
  if (auto* function = llvm::dyn_cast<llvm::Function>(callee.getCallee())) {
    function->addFnAttr(llvm::Attribute::NoDuplicate);
    if (call.doesNotReturn()) function->addFnAttr(llvm::Attribute::NoReturn);
  }
  auto* replaced = llvm::CallInst::Create(callee, arguments, "", call.getIterator());
  replaced->setDebugLoc(call.getDebugLoc());
  replaced->addFnAttr(llvm::Attribute::NoDuplicate);
  call.replaceAllUsesWith(replaced);
  call.eraseFromParent();
}

// Every other use of such a function would run outside the schedule.
Result<void> refuse_other_uses(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    if (!program::is_synchronization(function.getName())) continue;
    if (!function.isDeclaration())
      return fail("the program defines {} itself, which cannot be constrained",
                  function.getName().str());
    if (!function.use_empty())
      return fail("the address of {} is taken, so its calls cannot be constrained",
                  function.getName().str());
  }
  return {};
}

// By its number, in the order of the module.
std::vector<llvm::Instruction*> instructions_of(llvm::Module& module) {
  std::vector<llvm::Instruction*> all;
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::instructions(function)) all.push_back(&instruction);
  return all;
}

llvm::Value* value_of_register(ValueNames& names, llvm::Function& function, uint32_t reg) {
  names.enter(function);
  for (llvm::Argument& argument : function.args())
    if (names.register_of(argument) == reg) return &argument;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (!instruction.getType()->isVoidTy() && names.register_of(instruction) == reg)
      return &instruction;
  return nullptr;
}

// foretell_shadow_row[slot] = value
void add_shadow(llvm::Value& value, llvm::Instruction& before, size_t slot) {
  llvm::Module& module = *before.getModule();
  llvm::IRBuilder<> build(&before);
  auto* row = module.getNamedGlobal("foretell_shadow_row");
  if (!row)
    row = new llvm::GlobalVariable(
        module, build.getPtrTy(), false, llvm::GlobalValue::ExternalLinkage, nullptr,
        "foretell_shadow_row", nullptr, llvm::GlobalValue::GeneralDynamicTLSModel);
  llvm::Value* bits = value.getType()->isPointerTy()
                          ? build.CreatePtrToInt(&value, build.getInt64Ty())
                          : build.CreateZExtOrTrunc(&value, build.getInt64Ty());
  llvm::Value* at = build.CreateConstGEP1_64(
      build.getInt64Ty(), build.CreateLoad(build.getPtrTy(), build.CreateThreadLocalAddress(row)),
      slot);
  build.CreateStore(bits, at);
}

Result<void> add_markers_and_shadows(llvm::Module& module, const ConstrainPlan& plan) {
  const std::vector<llvm::Instruction*> all = instructions_of(module);
  llvm::DenseMap<uint32_t, llvm::Instruction*> markers;
  for (uint32_t marker : plan.markers) {
    llvm::BasicBlock& block = *all[marker]->getParent();
    llvm::IRBuilder<> build(&block, block.getFirstInsertionPt());
    auto callee =
        module.getOrInsertFunction("foretell_cover_marker", build.getVoidTy(), build.getInt32Ty());
    llvm::CallInst* call = build.CreateCall(callee, {build.getInt32(marker)});
    call->addFnAttr(llvm::Attribute::NoDuplicate);
    markers[marker] = call;
  }
  for (uint32_t reading : plan.readings) {
    llvm::IRBuilder<> build(all[reading]);
    auto callee =
        module.getOrInsertFunction("foretell_cover_marker", build.getVoidTy(), build.getInt32Ty());
    llvm::CallInst* call = build.CreateCall(callee, {build.getInt32(reading)});
    call->addFnAttr(llvm::Attribute::NoDuplicate);
    markers[reading] = call;
  }
  // All registers are found before anything is added that would have numbers, too.
  ValueNames names(module);
  std::vector<llvm::Value*> values;
  for (const auto& [site, reg] : plan.shadows)
    values.push_back(value_of_register(names, *all[site]->getFunction(), reg));
  for (size_t slot = 0; slot < plan.shadows.size(); slot++) {
    const uint32_t site = plan.shadows[slot].site;
    llvm::Value* value = values[slot];
    if (!value || !(value->getType()->isPointerTy() || value->getType()->isIntegerTy()))
      return fail("a register that decides a schedule cannot be kept");
    add_shadow(*value, markers.contains(site) ? *markers[site] : *all[site], slot);
  }
  std::vector<llvm::GlobalVariable*> globals;
  for (llvm::GlobalVariable& global : module.globals()) globals.push_back(&global);
  for (uint32_t number : plan.globals)
    llvm::GlobalAlias::create(
        globals[number]->getValueType(), 0, llvm::GlobalValue::ExternalLinkage,
        "foretell_global_" + std::to_string(number), globals[number], &module);
  return {};
}

}  // namespace

Result<std::string> constrain(std::string_view bitcode, const ConstrainPlan& plan) {
  llvm::LLVMContext context;
  const auto buffer = llvm::MemoryBuffer::getMemBufferCopy(
      llvm::StringRef(bitcode.data(), bitcode.size()), "prepared");
  llvm::SMDiagnostic problem;
  const auto module = llvm::parseIR(buffer->getMemBufferRef(), problem, context);
  if (!module) return fail("the prepared program cannot be read: {}", problem.getMessage().str());
  uint32_t id = 0;
  std::vector<std::pair<llvm::CallInst*, uint32_t>> calls;
  for (llvm::Function& function : *module)
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call && call->getCalledFunction() &&
          program::is_synchronization(call->getCalledFunction()->getName()))
        calls.emplace_back(call, id);
      id++;
    }
  if (auto done = add_markers_and_shadows(*module, plan); !done)
    return std::unexpected(done.error());
  for (const auto& [call, number] : calls) replace_call(*call, number);
  if (auto done = refuse_other_uses(*module); !done) return std::unexpected(done.error());

  llvm::Function* main = module->getFunction("main");
  if (!main || main->isDeclaration()) return fail("the program has no main");
  main->setName("foretell_program_main");
  std::string bytes;
  llvm::raw_string_ostream wrong(bytes);
  if (llvm::verifyModule(*module, &wrong))
    return fail("the constrained bitcode is not well-formed: {}", bytes);
  llvm::raw_string_ostream out(bytes);
  llvm::WriteBitcodeToFile(*module, out);
  return bytes;
}

}  // namespace foretell::bitcode
