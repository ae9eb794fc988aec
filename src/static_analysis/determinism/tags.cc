// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/determinism/tags.h"

#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>

#include "static_analysis/preparation/thread_copies.h"

namespace foretell::static_analysis {

using interpreter::PlaceId;
using llvm::dyn_cast;

Tags::Tags(const PairRules& rules, const interpreter::Places& places,
           const std::vector<Conflict>& conflicts, const std::vector<Source>& sources)
    : rules_(rules), places_(places), places_tagged_(places.size()) {
  for (const Conflict& conflict : conflicts)
    for (const AccessIndex index : {conflict.first, conflict.second})
      tag(places.overlapping(rules.accesses[index], conflict.object));
  for (const Source& source : sources)
    for (const llvm::Instruction* at : {source.first, source.second})
      if (at && source.kind != Nondeterminism::exit) {
        tag(*at);
        tag(places.touched_by(*at).writes);
      }
  for (const bitcode::CallEdge& edge : rules.points_to.calls())
    if (edge.callee && !edge.callee->isDeclaration()) callees_[edge.call].push_back(edge.callee);
  std::set<const llvm::Function*> functions;
  for (const AbstractThread& thread : rules.threads.all())
    functions.insert(thread.functions.begin(), thread.functions.end());
  for (has_changed_ = true; has_changed_;) {
    has_changed_ = false;
    for (const llvm::Function* function : functions)
      for (const llvm::Instruction& instruction : llvm::instructions(*function)) visit(instruction);
  }
}

void Tags::tag(const llvm::Value& value) {
  has_changed_ |= values_.insert(&value).second;
}

void Tags::tag(const std::vector<PlaceId>& places) {
  for (const PlaceId place : places) {
    if (places_tagged_[number(place)]) continue;
    places_tagged_[number(place)] = any_place_ = has_changed_ = true;
  }
}

void Tags::tag_block(const llvm::BasicBlock& block) {
  has_changed_ |= blocks_.insert(&block).second;
}

void Tags::tag_function(const llvm::Function& function) {
  for (const llvm::BasicBlock& block : function) tag_block(block);
}

// Blocks that are not executed on every way on from the branch.
void Tags::tag_dependents(const llvm::Instruction& branch) {
  if (!branches_.insert(&branch).second) return;
  llvm::PostDominatorTree tree(const_cast<llvm::Function&>(*branch.getFunction()));
  const auto* end = tree.getNode(branch.getParent());
  const auto* meeting = end ? end->getIDom() : nullptr;
  for (const llvm::BasicBlock* next : llvm::successors(branch.getParent())) {
    const auto* at = tree.getNode(next);
    for (; at && at != meeting; at = at->getIDom())
      if (at->getBlock()) tag_block(*at->getBlock());
  }
}

bool Tags::reads_tagged(const llvm::Instruction& instruction) const {
  const interpreter::Touched& touched = places_.touched_by(instruction);
  return (touched.reads_unknown && any_place_) ||
         std::ranges::any_of(touched.reads, [&](PlaceId place) { return is_tagged(place); });
}

void Tags::visit_call(const llvm::CallBase& call) {
  const bool is_conditional = this->is_conditional(call);
  bool has_tagged = reads_tagged(call);
  for (const llvm::Use& argument : call.args()) has_tagged |= is_tagged(*argument.get());
  if (const auto* children = rules_.threads.started_by(call)) {
    for (const ThreadId child : *children) {
      const AbstractThread& thread = rules_.threads[child];
      if (is_conditional)
        for (const llvm::Function* function : thread.functions) tag_function(*function);
      if (is_tagged(*thread_start(call)->argument))
        for (const llvm::Argument& parameter : thread.root->args()) tag(parameter);
    }
    return;
  }
  if (joined_handle(call)) {
    if (result_of_thread_) tag(places_.touched_by(call).writes);
    return;
  }
  const auto callees = callees_.find(&call);
  if (callees == callees_.end()) {
    // A library: what it returns and writes follows from what it is given and has kept.
    if (!is_synchronization(call) && (has_tagged || is_conditional)) {
      tag(call);
      tag(places_.touched_by(call).writes);
    }
    const llvm::Function* callee = call.getCalledFunction();
    if (callee && (callee->getName() == "pthread_exit" || callee->getName() == "thrd_exit"))
      result_of_thread_ |= has_tagged || is_conditional;
    return;
  }
  for (const llvm::Function* callee : callees->second) {
    if (is_conditional) tag_function(*callee);
    if (has_tagged)
      for (const llvm::Argument& parameter : callee->args()) tag(parameter);
    for (const llvm::BasicBlock& block : *callee)
      if (const auto* result = dyn_cast<llvm::ReturnInst>(block.getTerminator());
          result && is_tagged(*result))
        tag(call);
  }
}

void Tags::visit(const llvm::Instruction& instruction) {
  if (const auto* phi = dyn_cast<llvm::PHINode>(&instruction)) {
    const bool is_one = phi->hasConstantValue() != nullptr;
    for (unsigned i = 0; i < phi->getNumIncomingValues(); i++) {
      const llvm::BasicBlock& from = *phi->getIncomingBlock(i);
      const bool by_control = blocks_.contains(&from) || branches_.contains(from.getTerminator());
      if (is_tagged(*phi->getIncomingValue(i)) || (!is_one && by_control)) tag(*phi);
    }
    return;
  }
  if (const auto* call = dyn_cast<llvm::CallBase>(&instruction)) return visit_call(*call);
  bool has_tagged = reads_tagged(instruction);
  for (const llvm::Use& operand : instruction.operands()) has_tagged |= is_tagged(*operand.get());
  const bool is_conditional = this->is_conditional(instruction);
  const auto& writes = places_.touched_by(instruction).writes;
  if (!writes.empty() && (has_tagged || is_conditional)) tag(writes);
  if (instruction.isTerminator()) {
    if (llvm::isa<llvm::ReturnInst>(instruction)) {
      if (has_tagged || is_conditional) {
        tag(instruction);
        result_of_thread_ = true;
      }
    } else if (has_tagged) {
      tag_dependents(instruction);
    }
    return;
  }
  if (has_tagged) tag(instruction);
}

}  // namespace foretell::static_analysis
