// SPDX-License-Identifier: Apache-2.0

#include "bitcode/code/constrain.h"

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

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

}  // namespace

Result<std::string> constrain(std::string_view bitcode, const std::vector<uint32_t>& markers) {
  llvm::LLVMContext context;
  const auto buffer = llvm::MemoryBuffer::getMemBufferCopy(
      llvm::StringRef(bitcode.data(), bitcode.size()), "prepared");
  llvm::SMDiagnostic problem;
  const auto module = llvm::parseIR(buffer->getMemBufferRef(), problem, context);
  if (!module) return fail("the prepared program cannot be read: {}", problem.getMessage().str());
  if (!markers.empty()) return fail("programs with several epochs cannot be constrained yet");

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
  for (const auto& [call, number] : calls) replace_call(*call, number);
  if (auto done = refuse_other_uses(*module); !done) return std::unexpected(done.error());

  llvm::Function* main = module->getFunction("main");
  if (!main || main->isDeclaration()) return fail("the program has no main");
  main->setName("foretell_program_main");
  if (llvm::verifyModule(*module)) return fail("the constrained bitcode is not well-formed");
  std::string bytes;
  llvm::raw_string_ostream out(bytes);
  llvm::WriteBitcodeToFile(*module, out);
  return bytes;
}

}  // namespace foretell::bitcode
