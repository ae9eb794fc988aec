// SPDX-License-Identifier: Apache-2.0

// Memory that each of several threads has for itself.
//
// - New memory belongs to whoever made it until a pointer to it is stored, passed on or returned.
// - A loop that gives every thread another argument, new memory or the next element or number,
//   gives it whatever is found from that argument by the same computation, as long as the places of
//   two arguments do not overlap.
// - In that loop, what is done to an element before its thread starts is not seen by the threads
//   that were started in earlier rounds, which have earlier elements. In a loop that joins them in the
//   same order, what is done to an element after its thread was joined is not seen by the others.
#pragma once

#include <memory>

#include "static_analysis/races/pairs.h"

namespace foretell::static_analysis {

class Ownership {
 public:
  explicit Ownership(const PairRules& rules);
  ~Ownership();

  bool keeps_apart(const Access& a, const Access& b, bitcode::ObjectId object) const;

 private:
  struct Loops;
  struct Argument;  // how the argument of a thread differs from round to round
  struct Slot;      // an address as a multiple of that difference

  bool is_unpublished(const Access& access) const;
  const Argument* argument_of(ThreadId thread) const;
  std::optional<Slot> slot_of(const Access& access) const;
  std::optional<int64_t> step_of(const llvm::Value& index, ThreadId thread) const;
  std::optional<int64_t> step_of_field(const llvm::LoadInst& load, ThreadId thread) const;
  bool before_start(const Access& parent, const Access& child) const;
  bool after_join(const Access& parent, const Access& child) const;
  Loops& loops_of(const llvm::Function& function) const;

  const PairRules& rules_;
  mutable std::map<const llvm::Function*, std::unique_ptr<Loops>> loops_;
  mutable std::map<ThreadId, std::unique_ptr<Argument>> arguments_;
  mutable std::map<std::pair<const llvm::Instruction*, const llvm::Value*>, bool> unpublished_;
};

}  // namespace foretell::static_analysis
