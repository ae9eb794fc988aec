// SPDX-License-Identifier: Apache-2.0

// From which loads, parameters and results of calls the values of a function are computed, within
// the function and through registers. Data that goes through memory is followed by recorded
// addresses; only stack slots that the recorder ignores are looked through here, without order.
//
// A value that is chosen, by a phi or by what was last stored in such a slot, depends on the
// branches that choose.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <memory>
#include <optional>
#include <set>

#include "bitcode/control_scope/function_flow.h"
#include "program/facts.h"

namespace foretell::bitcode {

struct Sources {
  std::set<program::SiteIndex> loads;
  std::set<unsigned> parameters;
  std::set<program::SiteIndex> results;  // of calls
  std::set<uint32_t> branches;           // stretches
  bool has_untracked = false;            // and something that leaves no record

  bool empty() const {
    return loads.empty() && parameters.empty() && results.empty() && branches.empty() &&
           !has_untracked;
  }
  void add(const Sources& other);
};

class Dependence {
 public:
  explicit Dependence(const FunctionFlow& flow) : flow_(flow) {}

  Sources of(const llvm::Value& value);

 private:
  void visit(const llvm::Value& value, Sources& sources);
  void visit_load(const llvm::LoadInst& load, Sources& sources);
  void visit_slot(const llvm::AllocaInst& slot, Sources& sources);
  void control(uint32_t stretch, Sources& sources);

  const FunctionFlow& flow_;
  std::vector<const llvm::Value*> left_;
  llvm::DenseSet<const llvm::Value*> seen_, slots_;
};

}  // namespace foretell::bitcode
