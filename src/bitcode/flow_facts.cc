// SPDX-License-Identifier: Apache-2.0

#include "bitcode/flow_facts.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <set>

#include "bitcode/control_scope/conduct.h"
#include "bitcode/control_scope/function_flow.h"
#include "bitcode/control_scope/loops.h"
#include "bitcode/dependence.h"
#include "bitcode/whole_program.h"

namespace foretell::bitcode {
namespace {

using llvm::dyn_cast;
using llvm::isa;
using program::BranchIndex;
using program::SiteIndex;
using program::UseRole;
using recording::SiteRole;

// The branches, scopes and dependences of one function.
class FunctionFacts {
 public:
  FunctionFacts(const llvm::Function& function, Conducts& conducts, const EndingLoops& ending,
                const PointsTo& points_to, FactTables& tables)
      : function_(function),
        conducts_(conducts),
        points_to_(points_to),
        tables_(tables),
        flow_(function, conducts, ending),
        dependence_(flow_) {}

  void write() {
    add_branches();
    add_scopes();
    for (const llvm::Instruction& instruction : llvm::instructions(function_))
      add_dependences(instruction);
  }

 private:
  void add_branches();
  void add_scopes();
  const Conduct& conduct_of(const std::vector<uint32_t>& stretches);
  void add_dependences(const llvm::Instruction& instruction);
  void add_call_dependences(const llvm::CallBase& call);
  void add_dependence(UseRole role, const llvm::Value& value, std::optional<SiteIndex> site,
                      std::optional<BranchIndex> branch = {}, uint32_t argument = 0);

  template <class F>
  void for_each_instruction(uint32_t stretch, F visit) const {
    const llvm::Instruction* at = flow_.stretches()[stretch].first;
    for (; at; at = at == flow_.stretches()[stretch].last ? nullptr : at->getNextNode()) visit(*at);
  }

  const llvm::Function& function_;
  Conducts& conducts_;
  const PointsTo& points_to_;
  FactTables& tables_;
  FunctionFlow flow_;
  Dependence dependence_;
  std::map<uint32_t, BranchIndex> branches_;  // by stretch
  std::vector<std::optional<Conduct>> of_stretches_;
  std::map<std::vector<uint32_t>, Conduct> of_scopes_;
};

void FunctionFacts::add_branches() {
  for (uint32_t stretch = 0; stretch < flow_.stretches().size(); stretch++) {
    const llvm::Instruction* last = flow_.stretches()[stretch].last;
    const auto ways = static_cast<uint32_t>(flow_.graph().ways(stretch));
    if (ways < 2) continue;
    const bool is_call = isa<llvm::CallBase>(last);
    const auto site = site_of(*last, is_call ? SiteRole::call : SiteRole::branch);
    branches_[stretch] = static_cast<BranchIndex>(tables_.facts.branches.size());
    tables_.facts.branches.push_back(
        {.function = tables_.index_of(function_),
         .position = tables_.place_of(*last, site),
         .ways = ways,
         .site = site,
         .kind = is_call ? program::BranchKind::call : program::BranchKind::choice});
  }
}

// Branches of one loop often have the same whole scope, and its stretches are in many.
const Conduct& FunctionFacts::conduct_of(const std::vector<uint32_t>& stretches) {
  const auto [at, is_new] = of_scopes_.try_emplace(stretches);
  if (!is_new) return at->second;
  of_stretches_.resize(flow_.stretches().size());
  for (uint32_t stretch : stretches) {
    if (!of_stretches_[stretch]) {
      Conduct& conduct = of_stretches_[stretch].emplace();
      for_each_instruction(stretch, [&](const llvm::Instruction& instruction) {
        conduct.add(conducts_.of(instruction));
      });
    }
    at->second.add(*of_stretches_[stretch]);
  }
  return at->second;
}

void FunctionFacts::add_scopes() {
  for (const auto& [stretch, branch] : branches_) {
    std::set<SiteIndex> sites;
    for (uint32_t controlled : flow_.scope(stretch))
      for_each_instruction(controlled, [&](const llvm::Instruction& instruction) {
        for (const InstructionSite& one : sites_of(instruction)) sites.insert(one.site);
      });
    const Conduct& conduct = conduct_of(flow_.whole_scope(stretch));
    tables_.facts.scopes.push_back(
        {.branch = branch,
         .sites = {sites.begin(), sites.end()},
         .writes = tables_.index_of(conduct.writes, points_to_.solution().targets()),
         .synchronizes = conduct.synchronizes,
         .calls_unknown = conduct.calls_unknown,
         .allocates = conduct.allocates,
         .has_state = conduct.has_state,
         .may_trap = conduct.may_trap,
         .may_stop = conduct.may_stop || conduct.may_unwind});
  }
}

void FunctionFacts::add_dependence(UseRole role, const llvm::Value& value,
                                   std::optional<SiteIndex> site, std::optional<BranchIndex> branch,
                                   uint32_t argument) {
  const Sources sources = dependence_.of(value);
  if (sources.empty()) return;
  program::Dependence row{.function = tables_.index_of(function_),
                          .role = role,
                          .site = site,
                          .branch = branch,
                          .argument = argument,
                          .loads = {sources.loads.begin(), sources.loads.end()},
                          .results = {sources.results.begin(), sources.results.end()},
                          .has_untracked = sources.has_untracked};
  for (unsigned parameter : sources.parameters)
    row.parameters.push_back(static_cast<program::ParameterIndex>(parameter));
  for (uint32_t stretch : sources.branches)
    if (const auto known = branches_.find(stretch); known != branches_.end())
      row.branches.push_back(known->second);
  std::ranges::sort(row.branches);
  tables_.facts.dependences.push_back(std::move(row));
}

void FunctionFacts::add_dependences(const llvm::Instruction& instruction) {
  const auto access = site_of(instruction, SiteRole::access);
  if (const auto* load = dyn_cast<llvm::LoadInst>(&instruction)) {
    if (access) add_dependence(UseRole::address, *load->getPointerOperand(), access);
  } else if (const auto* store = dyn_cast<llvm::StoreInst>(&instruction)) {
    if (!access) return;
    add_dependence(UseRole::value, *store->getValueOperand(), access);
    add_dependence(UseRole::address, *store->getPointerOperand(), access);
  } else if (isa<llvm::AtomicRMWInst>(instruction) || isa<llvm::AtomicCmpXchgInst>(instruction)) {
    add_dependence(UseRole::address, *instruction.getOperand(0), access);
    for (unsigned i = 1; i < instruction.getNumOperands(); i++)
      add_dependence(UseRole::value, *instruction.getOperand(i), access);
  } else if (const auto* call = dyn_cast<llvm::CallBase>(&instruction)) {
    add_call_dependences(*call);
  } else if (const auto* end = dyn_cast<llvm::ReturnInst>(&instruction)) {
    if (end->getReturnValue()) add_dependence(UseRole::result, *end->getReturnValue(), {});
  } else if (const auto branch = branches_.find(flow_.of(instruction));
             branch != branches_.end() && instruction.isTerminator()) {
    add_dependence(UseRole::condition, *instruction.getOperand(0),
                   site_of(instruction, SiteRole::branch), branch->second);
  }
}

void FunctionFacts::add_call_dependences(const llvm::CallBase& call) {
  if (const auto* copy = dyn_cast<llvm::AnyMemIntrinsic>(&call)) {
    const auto to = site_of(call, SiteRole::copy_target),
               from = site_of(call, SiteRole::copy_source);
    if (!to && !from) return;
    add_dependence(UseRole::address, *copy->getRawDest(), to);
    add_dependence(UseRole::size, *copy->getLength(), to ? to : from);
    if (const auto* transfer = dyn_cast<llvm::AnyMemTransferInst>(copy))
      add_dependence(UseRole::address, *transfer->getRawSource(), from);
    else
      add_dependence(UseRole::value, *copy->getArgOperand(1), to);
    return;
  }
  if (isa<llvm::IntrinsicInst>(call)) return;
  const auto site = site_of(call, SiteRole::call);
  if (!call.getCalledFunction() && !call.isInlineAsm())
    add_dependence(UseRole::callee, *call.getCalledOperand(), site);
  for (unsigned i = 0; i < call.arg_size(); i++)
    add_dependence(UseRole::argument, *call.getArgOperand(i), site, {}, i);
}

}  // namespace

void add_flow_facts(llvm::Module& module, PointsTo& points_to, FactTables& tables) {
  forget_undefined_behavior(module);
  llvm::DenseMap<const llvm::Function*, EndingLoops> ending;
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) ending[&function] = ending_loops(function);
  Conducts conducts(module, points_to, ending);
  for (const llvm::Function& function : module)
    if (!function.isDeclaration())
      FunctionFacts(function, conducts, ending[&function], points_to, tables).write();
}

}  // namespace foretell::bitcode
