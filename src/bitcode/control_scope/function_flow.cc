// SPDX-License-Identifier: Apache-2.0

#include "bitcode/control_scope/function_flow.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>

namespace foretell::bitcode {

using llvm::dyn_cast;
using llvm::isa;

FunctionFlow::FunctionFlow(const llvm::Function& function, Conducts& conducts,
                           const EndingLoops& ending) {
  add_stretches(function, conducts);
  add_edges(function, conducts);
  const std::vector<FlowCycle> cycles = cycles_of(graph_);
  scopes_ = control_scopes(graph_, cycles, endings(cycles, ending));
  controllers_.resize(scopes_.size());
  for (uint32_t stretch = 0; stretch < scopes_.size(); stretch++)
    for (uint32_t controlled : scopes_[stretch]) controllers_[controlled].push_back(stretch);
}

void FunctionFlow::add_stretches(const llvm::Function& function, Conducts& conducts) {
  for (const llvm::BasicBlock& block : function) {
    const llvm::Instruction* first = nullptr;
    for (const llvm::Instruction& instruction : block) {
      const auto at = static_cast<uint32_t>(stretches_.size());
      if (!first) first = &instruction;
      of_[&instruction] = at;
      const auto* call = dyn_cast<llvm::CallBase>(&instruction);
      const bool may_end = call && !isa<llvm::InvokeInst>(call) && conducts.may_not_return(*call);
      if (!instruction.isTerminator() && !may_end) continue;
      stretches_.push_back({first, &instruction});
      graph_.nodes.emplace_back();
      first = nullptr;
      if (instruction.isTerminator()) continue;
      graph_.nodes.back().may_stop = true;
      graph_.nodes.back().successors.push_back(at + 1);
    }
  }
}

void FunctionFlow::add_edges(const llvm::Function& function, Conducts& conducts) {
  for (const llvm::BasicBlock& block : function) {
    const llvm::Instruction& end = *block.getTerminator();
    const uint32_t from = of(end);
    if (const auto* invoke = dyn_cast<llvm::InvokeInst>(&end))
      graph_.nodes[from].may_stop = conducts.may_not_return(*invoke);
    std::vector<const llvm::BasicBlock*> ways;
    for (const llvm::BasicBlock* next : llvm::successors(&block))
      if (std::ranges::find(ways, next) == ways.end()) ways.push_back(next);
    if (ways.empty()) graph_.nodes[from].may_stop = true;
    for (const llvm::BasicBlock* next : ways) {
      uint32_t to = of(next->front());
      if (ways.size() > 1 && !next->getUniquePredecessor()) {
        const auto edge = static_cast<uint32_t>(stretches_.size());
        stretches_.push_back({});
        graph_.nodes.push_back({{to}, false});
        edges_[{&block, next}] = edge;
        to = edge;
      }
      graph_.nodes[from].successors.push_back(to);
    }
  }
}

uint32_t FunctionFlow::of_edge(const llvm::BasicBlock& from, const llvm::BasicBlock& to) const {
  const auto edge = edges_.find({&from, &to});
  return edge != edges_.end() ? edge->second : of(*from.getTerminator());
}

std::vector<bool> FunctionFlow::endings(const std::vector<FlowCycle>& cycles,
                                        const EndingLoops& ending) const {
  std::vector<bool> ends;
  for (const FlowCycle& cycle : cycles) {
    const llvm::Instruction* header = stretches_[cycle.header].first;
    const auto loop = header ? ending.find(header->getParent()) : ending.end();
    bool is_loop = loop != ending.end();
    size_t blocks = 0;
    for (uint32_t node : cycle.nodes) {
      const llvm::Instruction* last = stretches_[node].last;
      if (!is_loop || !last || !last->isTerminator()) continue;
      blocks++;
      is_loop = loop->second.contains(last->getParent());
    }
    ends.push_back(is_loop && blocks == loop->second.size());
  }
  return ends;
}

std::vector<uint32_t> FunctionFlow::whole_scope(uint32_t stretch) const {
  std::vector<uint32_t> whole = scopes_[stretch];
  std::vector<bool> seen(scopes_.size());
  for (uint32_t one : whole) seen[one] = true;
  for (size_t i = 0; i < whole.size(); i++) {
    for (uint32_t one : scopes_[whole[i]]) {
      if (seen[one]) continue;
      seen[one] = true;
      whole.push_back(one);
    }
  }
  std::ranges::sort(whole);
  return whole;
}

}  // namespace foretell::bitcode
