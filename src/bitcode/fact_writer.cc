// SPDX-License-Identifier: Apache-2.0

#include "bitcode/fact_writer.h"

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <map>
#include <set>

#include "bitcode/fact_tables.h"
#include "bitcode/flow_facts.h"
#include "bitcode/promotion.h"
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
using program::UnknownKind;
using recording::SiteRole;

class FactWriter {
 public:
  FactWriter(WholeProgram& whole, const Surroundings& surroundings, const Externals& externals)
      : module_(*whole.module),
        surroundings_(surroundings),
        promoted_(promote_slots(module_)),
        externals_(externals),
        points_to_(module_, surroundings, externals),
        sharing_(module_, points_to_, surroundings.all_exported) {
    facts_.modules = std::move(whole.modules);
    facts_.sites = std::move(whole.sites);
  }

  Facts write() {
    add_functions();
    add_calls();
    add_objects();
    add_promoted();
    add_accesses();
    add_flow_facts(module_, points_to_, tables_);
    add_unknowns();
    return std::move(facts_);
  }

 private:
  void add_functions();
  void add_calls();
  void add_objects();
  void add_promoted();
  program::Object describe_global(const llvm::GlobalVariable& global) const;
  program::Object describe_slot(const llvm::AllocaInst& slot) const;
  program::Object describe_heap(const AbstractObject& object) const;
  void add_accesses();
  void add_unknowns();

  FunctionIndex index_of(const llvm::Function& function) const {
    return tables_.index_of(function);
  }
  MemoryIndex index_of(Node pointer) {
    return tables_.index_of(points_to_.solution().targets_of(pointer),
                            points_to_.solution().targets());
  }

  llvm::Module& module_;
  const Surroundings& surroundings_;
  std::vector<PromotedSlot> promoted_;
  const Externals& externals_;
  PointsTo points_to_;
  SharingAnalysis sharing_;
  FactTables tables_;
  Facts& facts_ = tables_.facts;
};

void FactWriter::add_functions() {
  for (const llvm::Function& function : module_) {
    if (function.isIntrinsic()) continue;
    tables_.functions.emplace(&function, static_cast<FunctionIndex>(facts_.functions.size()));
    const std::string symbol = function.getName().str();
    const bool is_modeled =
        externals_.of(symbol).effect != Effect::unknown || function.doesNotAccessMemory();
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

program::Object FactWriter::describe_global(const llvm::GlobalVariable& global) const {
  program::Object object{
      .kind = global.isThreadLocal() ? ObjectKind::thread_local_variable : ObjectKind::global,
      .name = llvm::demangle(global.getName().str()),
      .global = row_of(global)};
  llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> described;
  global.getDebugInfo(described);
  if (!described.empty()) {
    const llvm::DIGlobalVariable* variable = described.front()->getVariable();
    if (!variable->getName().empty()) object.name = variable->getName().str();
    object.position = {path_of(variable->getFile()), variable->getLine(), 0};
  }
  return object;
}

program::Object FactWriter::describe_slot(const llvm::AllocaInst& slot) const {
  program::Object object{.kind = ObjectKind::stack,
                         .name = name_of(slot),
                         .position = position_of(slot),
                         .function = index_of(*slot.getFunction())};
  // A slot has no line of its own; that of its function will do.
  if (object.position.line == 0) object.position = position_of(*slot.getFunction());
  return object;
}

program::Object FactWriter::describe_heap(const AbstractObject& made) const {
  const auto* call = llvm::cast<llvm::CallBase>(made.value);
  const llvm::CallBase* seen = made.wrapper_call ? made.wrapper_call : call;
  const llvm::Function* callee = call->getCalledFunction();
  return {.kind = ObjectKind::heap,
          .name = callee ? llvm::demangle(callee->getName().str()) : "",
          .position = tables_.place_of(*seen, site_of(*seen, SiteRole::call)),
          .function = index_of(*seen->getFunction()),
          // The recorder sees the call of the allocator.
          .site = site_of(*call, SiteRole::call)};
}

void FactWriter::add_objects() {
  for (uint32_t i = 0; i < points_to_.objects().size(); i++) {
    const AbstractObject& made = points_to_.objects()[i];
    program::Object object;
    switch (made.kind) {
      case MadeOf::unknown:
      case MadeOf::function:
      case MadeOf::constant:
      case MadeOf::hidden:
        continue;
      case MadeOf::global:
      case MadeOf::thread_local_variable:
        object = describe_global(*llvm::cast<llvm::GlobalVariable>(made.value));
        break;
      case MadeOf::stack:
        object = describe_slot(*llvm::cast<llvm::AllocaInst>(made.value));
        break;
      case MadeOf::heap:
        object = describe_heap(made);
        break;
    }
    object.sharing = sharing_.of(ObjectId{i});
    object.reaches_unknown = points_to_.solution().has_escaped(ObjectId{i});
    tables_.objects.emplace(ObjectId{i}, static_cast<program::ObjectIndex>(facts_.objects.size()));
    facts_.objects.push_back(std::move(object));
  }
}

void FactWriter::add_promoted() {
  for (const PromotedSlot& slot : promoted_)
    facts_.objects.push_back({.kind = ObjectKind::stack,
                              .name = slot.name,
                              .position = position_of(*slot.function),
                              .function = index_of(*slot.function),
                              .sharing = sharing_.of_private(*slot.function)});
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
                                 .memory = index_of(touch.pointer)};
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

program::Facts write_facts(WholeProgram& whole, const Surroundings& surroundings,
                           const Externals& externals) {
  return FactWriter(whole, surroundings, externals).write();
}

}  // namespace foretell::bitcode
