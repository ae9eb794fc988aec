// SPDX-License-Identifier: Apache-2.0

#include "bitcode/code/prepare.h"

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include "base/input_file.h"
#include "bitcode/binary.h"
#include "bitcode/kept_modules.h"
#include "bitcode/points_to/points_to.h"
#include "bitcode/whole_program.h"
#include "program/code.h"

namespace foretell::bitcode {
namespace {

Result<std::unique_ptr<llvm::Module>> parse(std::string_view bytes, const std::string& path,
                                            llvm::LLVMContext& context) {
  const auto buffer =
      llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(bytes.data(), bytes.size()), path);
  llvm::SMDiagnostic problem;
  auto module = llvm::parseIR(buffer->getMemBufferRef(), problem, context);
  if (!module) return fail_at(path, "{}", problem.getMessage().str());
  return module;
}

Result<WholeProgram> link_files(const std::vector<std::string>& paths) {
  WholeProgram whole;
  whole.context = std::make_unique<llvm::LLVMContext>();
  for (const std::string& path : paths) {
    FORETELL_TRY(file, InputFile::open(path));
    if (file.bytes().starts_with("\x7f"
                                 "ELF")) {
      if (paths.size() > 1) return fail_at(path, "a linked program must be the only argument");
      FORETELL_TRY(binary, read_binary(file.bytes(), path));
      if (binary.kept.empty())
        return std::unexpected(Diagnostic{"there is no bitcode in this file", path}.with_note(
            "compile it with `foretell cc -O0`, or give the sources"));
      FORETELL_TRY(kept, read_kept_modules(binary.kept, path));
      return link_modules(kept, path);
    }
    FORETELL_TRY(module, parse(file.bytes(), path, *whole.context));
    if (!whole.module) {
      whole.module = std::move(module);
    } else if (llvm::Linker::linkModules(*whole.module, std::move(module))) {
      return fail_at(path, "cannot be linked with the files before it");
    }
  }
  return whole;
}

void keep_single(llvm::Module& module) {
  const PointsTo points_to(module, {}, Externals::common());
  llvm::DenseMap<const llvm::Function*, std::vector<const llvm::CallBase*>> called_by;
  for (const CallEdge& edge : points_to.calls()) called_by[edge.callee].push_back(edge.call);
  std::vector<llvm::Function*> open;
  for (llvm::Function& function : module)
    if (program::is_synchronization(function.getName())) open.push_back(&function);
  llvm::DenseSet<const llvm::Function*> done(open.begin(), open.end());
  while (!open.empty()) {
    llvm::Function* function = open.back();
    open.pop_back();
    function->addFnAttr(llvm::Attribute::NoDuplicate);
    for (const llvm::CallBase* call : called_by[function]) {
      auto* site = const_cast<llvm::CallBase*>(call);
      site->addFnAttr(llvm::Attribute::NoDuplicate);
      if (done.insert(site->getFunction()).second) open.push_back(site->getFunction());
    }
  }
}

// Without the instrumentation that skips functions marked optnone: every function takes part.
Result<void> bring_into_registers(llvm::Module& module) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  if (auto error = builder.parsePassPipeline(passes, "function(mem2reg,sroa,simplifycfg)"))
    return fail("cannot prepare the program: {}", llvm::toString(std::move(error)));
  passes.run(module, modules);
  return {};
}

}  // namespace

Result<std::string> prepare(const std::vector<std::string>& paths) {
  FORETELL_TRY(whole, link_files(paths));
  llvm::Module& module = *whole.module;
  if (llvm::verifyModule(module)) return fail("the linked bitcode is not well-formed");
  for (llvm::Function& function : module) {
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    function.removeFnAttr(llvm::Attribute::NoInline);
  }
  keep_single(module);
  if (auto done = bring_into_registers(module); !done) return std::unexpected(done.error());
  std::string bytes;
  llvm::raw_string_ostream out(bytes);
  llvm::WriteBitcodeToFile(module, out);
  return bytes;
}

}  // namespace foretell::bitcode
