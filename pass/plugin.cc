// SPDX-License-Identifier: Apache-2.0

// The compiler plugin: instruments every function of a module once, after optimization.
//
// Late, because the optimizer must see the program as it was: it removes accesses that never
// happen, and what is left is what runs. The callbacks run in every pipeline that ends with code
// of this file: -O0, -O1 and up, and the compile step of full and thin LTO. A named metadata node
// marks the module, so that a pipeline that comes by again (distributed ThinLTO) leaves it alone.
//
// Ignored functions have to be known before inlining, or their code would be instrumented in their
// callers: an early step keeps them out of line.

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>

#include "instrumenter.h"
#include "kept_bitcode.h"
#include "options.h"
#include "property_hooks.h"
#include "selection.h"
#include "site_table.h"
#include "vtable_stores.h"

namespace foretell::pass {

llvm::cl::opt<FunctionHooks> function_hooks(
    "foretell-functions", llvm::cl::desc("Record entries and exits of functions"),
    llvm::cl::values(clEnumValN(FunctionHooks::all, "all", "those that call or access (default)"),
                     clEnumValN(FunctionHooks::none, "none", "never")),
    llvm::cl::init(FunctionHooks::all));
llvm::cl::opt<bool> branch_hooks("foretell-branches",
                                 llvm::cl::desc("Record which way conditional branches go"));
llvm::cl::opt<bool> keep_repeats(
    "foretell-keep-repeats",
    llvm::cl::desc("Record reads that repeat one before them in the same block"));
llvm::cl::opt<bool> keeps_bitcode(
    "foretell-keep-bitcode",
    llvm::cl::desc("Keep the bitcode in a section that is not loaded (default: on)"),
    llvm::cl::init(true));

namespace {

constexpr const char* kMark = "foretell.instrumented";

// __attribute__((annotate("foretell_ignore"))) becomes a row of llvm.global.annotations.
void mark_ignored(llvm::Module& module) {
  const llvm::GlobalVariable* annotations = module.getNamedGlobal("llvm.global.annotations");
  if (!annotations || !annotations->hasInitializer()) return;
  for (const llvm::Use& row : annotations->getInitializer()->operands()) {
    const auto* fields = llvm::dyn_cast<llvm::ConstantStruct>(row);
    if (!fields) continue;
    auto* function = llvm::dyn_cast<llvm::Function>(fields->getOperand(0)->stripPointerCasts());
    const auto* text =
        llvm::dyn_cast<llvm::GlobalVariable>(fields->getOperand(1)->stripPointerCasts());
    if (!function || !text || !text->hasInitializer()) continue;
    const auto* letters = llvm::dyn_cast<llvm::ConstantDataArray>(text->getInitializer());
    if (letters && letters->isCString() && letters->getAsCString() == "foretell_ignore")
      function->addFnAttr("foretell_ignore");
  }
}

// The loader calls the resolver of an ifunc before the program's thread-local variables exist, so
// neither it nor what it calls may be instrumented.
void mark_resolvers(llvm::Module& module) {
  llvm::SmallVector<llvm::Function*, 8> left;
  const auto mark = [&](llvm::Function* function) {
    if (!function || function->isDeclaration() || function->hasFnAttribute("foretell_ignore"))
      return;
    function->addFnAttr("foretell_ignore");
    left.push_back(function);
  };
  for (llvm::GlobalIFunc& indirect : module.ifuncs()) mark(indirect.getResolverFunction());
  while (!left.empty()) {
    for (llvm::Instruction& instruction : llvm::instructions(*left.pop_back_val()))
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        mark(call->getCalledFunction());
  }
}

struct KeepIgnoredApart : llvm::PassInfoMixin<KeepIgnoredApart> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    mark_ignored(module);
    mark_resolvers(module);
    for (llvm::Function& function : module) {
      if (function.isDeclaration() || !is_ignored(function)) continue;
      function.removeFnAttr(llvm::Attribute::AlwaysInline);
      function.addFnAttr(llvm::Attribute::NoInline);
    }
    return llvm::PreservedAnalyses::all();
  }
};

// The optimizer may read early, and unconditionally, what the program reads in a branch; without
// threads nobody can tell. With them the program would race where its source does not. What keeps
// the optimizer from that is the attribute of ThreadSanitizer; its own pass does not run.
constexpr const char* kReadsStay = "foretell_reads_stay";

struct KeepReadsInBranches : llvm::PassInfoMixin<KeepReadsInBranches> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    for (llvm::Function& function : module) {
      if (function.isDeclaration() || function.hasFnAttribute(llvm::Attribute::SanitizeThread))
        continue;
      function.addFnAttr(llvm::Attribute::SanitizeThread);
      function.addFnAttr(kReadsStay);
    }
    return llvm::PreservedAnalyses::all();
  }
};

void release_reads(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (!function.hasFnAttribute(kReadsStay)) continue;
    function.removeFnAttr(llvm::Attribute::SanitizeThread);
    function.removeFnAttr(kReadsStay);
  }
}

struct Instrument : llvm::PassInfoMixin<Instrument> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
    if (module.getNamedMetadata(kMark)) return llvm::PreservedAnalyses::all();
    // Variables are looked up as records, whichever form the pipeline keeps them in.
    llvm::ScopedDbgInfoFormatSetter records(module, true);
    release_reads(module);
    mark_ignored(module);
    mark_resolvers(module);
    auto& functions =
        analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();

    std::vector<llvm::Function*> chosen;
    for (llvm::Function& function : module)
      if (is_instrumented(function)) chosen.push_back(&function);
    SiteTable table(module);
    for (llvm::GlobalVariable& global : module.globals()) table.add_global(global);
    // All sites are known before the first function changes, and kept with the module as it was.
    uint32_t skipped = 0, repeated = 0;
    std::vector<PlannedFunction> planned;
    for (llvm::Function* function : chosen) {
      Selection selection =
          select(*function, functions.getResult<llvm::TargetLibraryAnalysis>(*function));
      skipped += selection.skipped;
      repeated += selection.repeated;
      Sites sites = add_sites(*function, selection, table);
      planned.push_back({function, std::move(selection), std::move(sites)});
    }
    if (keeps_bitcode) keep_bitcode(module, planned, table);
    module.getOrInsertNamedMetadata(kMark);
    Hooks hooks(module);
    Instrumenter instrumenter(hooks, table);
    for (const PlannedFunction& one : planned) make_vtable_stores_conditional(one.selection);
    for (const PlannedFunction& one : planned)
      instrumenter.instrument(*one.function, one.selection, one.sites);
    table.emit(skipped, repeated);
    return llvm::PreservedAnalyses::none();
  }
};

void register_passes(llvm::PassBuilder& builder) {
  builder.registerPipelineStartEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
        passes.addPass(KeepIgnoredApart());
        passes.addPass(KeepReadsInBranches());
        passes.addPass(AddPropertyHooks());
      });
  builder.registerOptimizerLastEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
        passes.addPass(Instrument());
      });
  // opt-19 -load-pass-plugin=foretell_pass.so -passes=foretell
  builder.registerPipelineParsingCallback([](llvm::StringRef name, llvm::ModulePassManager& passes,
                                             llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
    if (name != "foretell") return false;
    passes.addPass(Instrument());
    return true;
  });
}

}  // namespace
}  // namespace foretell::pass

extern "C" [[gnu::visibility("default")]] llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "foretell", FORETELL_VERSION, foretell::pass::register_passes};
}
