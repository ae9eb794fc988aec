// SPDX-License-Identifier: Apache-2.0

// What may differ from schedule to schedule, and all that follows from it.
//
// A place of memory is tagged if two accesses to it are not ordered (conflicts.h; not those that are
// explained, by reductions or by storing one constant). Tags go on through data, through memory, and
// through control: what is only executed if a tagged condition holds, and what is merged after it.
// A place that is not tagged holds the same in every schedule that terminates.
#pragma once

#include <llvm/ADT/DenseSet.h>

#include "static_analysis/determinism/conflicts.h"
#include "static_analysis/determinism/sources.h"
#include "static_analysis/interpreter/places.h"

namespace foretell::static_analysis {

class Tags {
 public:
  Tags(const PairRules& rules, const interpreter::Places& places,
       const std::vector<Conflict>& conflicts, const std::vector<Source>& sources);

  bool is_tagged(const llvm::Value& value) const { return values_.contains(&value); }
  bool is_tagged(interpreter::PlaceId place) const { return places_tagged_[number(place)]; }
  // Whether it is executed, or how often, may differ.
  bool is_conditional(const llvm::Instruction& instruction) const {
    return blocks_.contains(instruction.getParent());
  }

 private:
  void visit(const llvm::Instruction& instruction);
  void visit_call(const llvm::CallBase& call);
  void tag(const llvm::Value& value);
  void tag(const std::vector<interpreter::PlaceId>& places);
  void tag_block(const llvm::BasicBlock& block);
  void tag_function(const llvm::Function& function);
  void tag_dependents(const llvm::Instruction& branch);
  bool reads_tagged(const llvm::Instruction& instruction) const;

  const PairRules& rules_;
  const interpreter::Places& places_;
  llvm::DenseMap<const llvm::CallBase*, std::vector<const llvm::Function*>> callees_;
  llvm::DenseSet<const llvm::Value*> values_;
  llvm::DenseSet<const llvm::BasicBlock*> blocks_;
  llvm::DenseSet<const llvm::Instruction*> branches_;
  std::vector<bool> places_tagged_;
  bool any_place_ = false, result_of_thread_ = false, has_changed_ = false;
};

}  // namespace foretell::static_analysis
