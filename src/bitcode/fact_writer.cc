#include "bitcode/fact_writer.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/Path.h>

#include <set>

#include "bitcode/sharing.h"

namespace foretell::bitcode {
namespace {

using llvm::dyn_cast;
using llvm::isa;
using program::Body;
using program::Facts;
using program::FunctionIndex;
using program::MemoryIndex;
using program::ObjectKind;
using program::Position;
using program::UnknownKind;
using recording::SiteRole;

// As the pass writes it into site tables.
std::string path_of(const llvm::DIFile* file) {
  if (!file) return "";
  llvm::SmallString<256> path;
  if (!llvm::sys::path::is_absolute(file->getFilename())) path = file->getDirectory();
  llvm::sys::path::append(path, file->getFilename());
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return path.str().str();
}

Position position_of(const llvm::Instruction& instruction) {
  const llvm::DILocation* location = instruction.getDebugLoc();
  if (!location) return {};
  return {path_of(location->getFile()), location->getLine(), location->getColumn()};
}

Position position_of(const llvm::Function& function) {
  const llvm::DISubprogram* subprogram = function.getSubprogram();
  if (!subprogram) return {};
  return {path_of(subprogram->getFile()), subprogram->getLine(), 0};
}

class FactWriter {
 public:
  FactWriter(WholeProgram& whole, const Surroundings& surroundings)
      : module_(*whole.module),
        surroundings_(surroundings),
        points_to_(module_, surroundings),
        sharing_(module_, points_to_, surroundings.all_exported) {
    facts_.modules = std::move(whole.modules);
    facts_.sites = std::move(whole.sites);
  }

  Facts write() {
    add_functions();
    add_calls();
    add_branches();
    add_globals();
    add_made();
    add_accesses();
    add_unknowns();
    return std::move(facts_);
  }

 private:
  void add_functions();
  void add_calls();
  void add_branches();
  void add_globals();
  void add_made();
  void add_accesses();
  void add_unknowns();

  FunctionIndex index_of(const llvm::Function& function) const { return functions_.at(&function); }
  MemoryIndex index_of(ClassId memory);
  // Where the program says it is: the site if there is one, which is in the user's code.
  Position place_of(const llvm::Instruction& instruction,
                    std::optional<program::SiteIndex> site) const {
    return site ? facts_.sites[program::place(*site)].position : position_of(instruction);
  }

  llvm::Module& module_;
  const Surroundings& surroundings_;
  PointsTo points_to_;
  SharingAnalysis sharing_;
  std::map<const llvm::Function*, FunctionIndex> functions_;
  std::map<ClassId, MemoryIndex> memory_;
  Facts facts_;
};

MemoryIndex FactWriter::index_of(ClassId memory) {
  const ClassId found = points_to_.classes().find(memory);
  const auto [at, is_new] =
      memory_.try_emplace(found, static_cast<MemoryIndex>(facts_.memory.size()));
  if (is_new)
    facts_.memory.push_back(
        {.sharing = sharing_.of(found), .reaches_unknown = points_to_.classes().is_unknown(found)});
  return at->second;
}

void FactWriter::add_functions() {
  for (const llvm::Function& function : module_) {
    if (function.isIntrinsic()) continue;
    functions_.emplace(&function, static_cast<FunctionIndex>(facts_.functions.size()));
    const std::string symbol = function.getName().str();
    const bool is_modeled = effect_of(symbol) != Effect::unknown || function.doesNotAccessMemory();
    facts_.functions.push_back({.symbol = symbol,
                                .name = llvm::demangle(symbol),
                                .position = position_of(function),
                                .site = site_of(function),
                                .body = !function.isDeclaration() ? Body::present
                                        : is_modeled              ? Body::modeled
                                                                  : Body::unknown,
                                .run_by = sharing_.run_by(function)});
  }
}

void FactWriter::add_calls() {
  for (const CallEdge& edge : points_to_.calls())
    facts_.calls.push_back({.caller = index_of(*edge.call->getFunction()),
                            .callee = index_of(*edge.callee),
                            .site = site_of(*edge.call, SiteRole::call),
                            .is_indirect = edge.is_indirect});
}

void FactWriter::add_branches() {
  for (const llvm::Function& function : module_) {
    for (const llvm::BasicBlock& block : function) {
      const llvm::Instruction& end = *block.getTerminator();
      if (end.getNumSuccessors() < 2 || isa<llvm::InvokeInst>(end)) continue;
      const auto site = site_of(end, SiteRole::branch);
      facts_.branches.push_back({.function = index_of(function),
                                 .position = place_of(end, site),
                                 .ways = end.getNumSuccessors(),
                                 .site = site});
    }
  }
}

void FactWriter::add_globals() {
  for (const llvm::GlobalVariable& global : module_.globals()) {
    if (global.isDeclaration() || global.isConstant() || global.getName().starts_with("llvm."))
      continue;
    program::Object object{
        .kind = global.isThreadLocal() ? ObjectKind::thread_local_variable : ObjectKind::global,
        .name = llvm::demangle(global.getName().str()),
        .global = row_of(global),
        .memory = index_of(points_to_.memory_of(global))};
    llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> described;
    global.getDebugInfo(described);
    if (!described.empty()) {
      const llvm::DIGlobalVariable* variable = described.front()->getVariable();
      if (!variable->getName().empty()) object.name = variable->getName().str();
      object.position = {path_of(variable->getFile()), variable->getLine(), 0};
    }
    facts_.objects.push_back(std::move(object));
  }
}

// The variable that lives in a stack slot; empty if it is a temporary.
std::string name_of(const llvm::AllocaInst& slot) {
  llvm::SmallVector<llvm::DbgVariableIntrinsic*, 1> intrinsics;
  llvm::SmallVector<llvm::DbgVariableRecord*, 1> records;
  llvm::findDbgUsers(intrinsics, const_cast<llvm::AllocaInst*>(&slot), &records);
  if (!records.empty()) return records.front()->getVariable()->getName().str();
  if (!intrinsics.empty()) return intrinsics.front()->getVariable()->getName().str();
  return "";
}

void FactWriter::add_made() {
  for (const Made& made : points_to_.made()) {
    program::Object object{.kind = ObjectKind::heap,
                           .function = index_of(*made.instruction->getFunction()),
                           .memory = index_of(made.memory)};
    if (const auto* slot = dyn_cast<llvm::AllocaInst>(made.instruction)) {
      object.kind = ObjectKind::stack;
      object.name = name_of(*slot);
      object.position = position_of(*slot);
      // A slot has no line of its own; that of its function will do.
      if (object.position.line == 0) object.position = position_of(*slot->getFunction());
    } else {
      const auto* call = llvm::cast<llvm::CallBase>(made.instruction);
      const llvm::Function* callee = call->getCalledFunction();
      object.name = callee ? llvm::demangle(callee->getName().str()) : "";
      object.site = site_of(*call, SiteRole::call);
      object.position = place_of(*call, object.site);
    }
    facts_.objects.push_back(std::move(object));
  }
}

void FactWriter::add_accesses() {
  // Equal rows are one site, so a place may have several instructions that do the same.
  std::set<std::tuple<program::SiteIndex, FunctionIndex, program::AccessKind, MemoryIndex>> seen;
  for (const Touch& touch : points_to_.touches()) {
    const bool is_copy = isa<llvm::AnyMemIntrinsic>(touch.instruction);
    const SiteRole role = !is_copy          ? SiteRole::access
                          : touch.is_source ? SiteRole::copy_source
                                            : SiteRole::copy_target;
    const auto site = site_of(*touch.instruction, role);
    if (!site) continue;
    const program::Access access{.site = *site,
                                 .function = index_of(*touch.instruction->getFunction()),
                                 .kind = touch.kind,
                                 .memory = index_of(touch.memory)};
    if (seen.insert({access.site, access.function, access.kind, access.memory}).second)
      facts_.accesses.push_back(access);
  }
}

void FactWriter::add_unknowns() {
  facts_.unknowns = surroundings_.unknowns;
  for (const auto& [name, uses] : points_to_.unknown_functions()) {
    const bool is_wrapped = module_.getFunction("__wrap_" + name) != nullptr;
    facts_.unknowns.push_back(
        {is_wrapped ? UnknownKind::wrapped_symbol : UnknownKind::external_function, name, uses});
  }
  if (points_to_.assembly_uses() > 0)
    facts_.unknowns.push_back({UnknownKind::assembly, "", points_to_.assembly_uses()});
}

}  // namespace

program::Facts write_facts(WholeProgram& whole, const Surroundings& surroundings) {
  return FactWriter(whole, surroundings).write();
}

}  // namespace foretell::bitcode
