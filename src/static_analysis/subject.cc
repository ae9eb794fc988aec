// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/subject.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>

#include "bitcode/binary.h"
#include "bitcode/kept_modules.h"
#include "bitcode/whole_program.h"

namespace foretell::static_analysis {
namespace {

bool is_ir(const BitcodeFile& file) {
  return file.bytes.starts_with("BC\xc0\xde") || file.name.ends_with(".ll");
}

Result<std::unique_ptr<llvm::Module>> parse(const BitcodeFile& file, llvm::LLVMContext& context) {
  const auto buffer = llvm::MemoryBuffer::getMemBufferCopy(file.bytes, file.name);
  llvm::SMDiagnostic problem;
  auto module = llvm::parseIR(buffer->getMemBufferRef(), problem, context);
  if (!module)
    return std::unexpected(Diagnostic{problem.getMessage().str(), file.name}.with_note(
        "this Foretell reads the bitcode of LLVM " LLVM_VERSION_STRING));
  return module;
}

Result<void> load_program(const BitcodeFile& file, Subject& subject) {
  FORETELL_TRY(binary, bitcode::read_binary(file.bytes, file.name));
  if (binary.kept.empty())
    return std::unexpected(Diagnostic{"there is no bitcode in this file", file.name}.with_note(
        "give its sources, or compile it with `foretell cc` or `foretell c++`"));
  FORETELL_TRY(kept, bitcode::read_kept_modules(binary.kept, file.name));
  FORETELL_TRY(whole, bitcode::link_modules(kept, file.name));
  subject.context = std::move(whole.context);
  subject.module = std::move(whole.module);
  subject.is_optimized = true;
  return {};
}

}  // namespace

Result<Subject> load_subject(const std::vector<BitcodeFile>& files, const std::string& entry) {
  Subject subject;
  if (files.size() == 1 && !is_ir(files.front())) {
    if (auto loaded = load_program(files.front(), subject); !loaded)
      return std::unexpected(std::move(loaded).error());
  } else {
    subject.context = std::make_unique<llvm::LLVMContext>();
    for (const BitcodeFile& file : files) {
      FORETELL_TRY(module, parse(file, *subject.context));
      if (!subject.module) {
        subject.module = std::move(module);
        continue;
      }
      if (llvm::Linker::linkModules(*subject.module, std::move(module)))
        return fail_at(file.name, "cannot be linked with the files before it");
    }
  }
  if (llvm::verifyModule(*subject.module))
    return fail_at(files.front().name, "the bitcode is not well-formed");
  subject.entry = subject.module->getFunction(entry);
  if (!subject.entry || subject.entry->isDeclaration())
    return std::unexpected(Diagnostic{
        fmt::format("there is no function '{}' in this program", entry), files.front().name}
                               .with_note("--entry=FUNCTION names where it begins"));
  return subject;
}

Place place_of(const llvm::Instruction& instruction) {
  const llvm::DebugLoc& at = instruction.getDebugLoc();
  if (!at) return {};
  return {.file = at->getFilename().str(), .line = at.getLine(), .column = at.getCol()};
}

}  // namespace foretell::static_analysis
