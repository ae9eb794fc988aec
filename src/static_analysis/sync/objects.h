// SPDX-License-Identifier: Apache-2.0

// Which abstract objects are one object, and which memory each thread has for itself.
#pragma once

#include <set>

#include "bitcode/points_to/points_to.h"
#include "static_analysis/threads/threads.h"

namespace foretell::static_analysis {

class Objects {
 public:
  Objects(const Threads& threads, const bitcode::PointsTo& points_to);

  // Whether the abstract object is one object of the run.
  bool is_single(bitcode::ObjectId id) const { return single_[number(id)]; }
  // Whether no thread but the one that made an instance ever has a pointer to it.
  bool is_confined(bitcode::ObjectId id) const { return !reachable_[number(id)]; }
  // The one place that a pointer can mean, if there is one and its object is single.
  std::optional<bitcode::Target> single_target(const llvm::Value& pointer) const;
  bool may_meet(const llvm::Value& a, const llvm::Value& b) const;
  std::string name_of(const bitcode::Target& target) const;

 private:
  void find_single(const Threads& threads);
  void find_reachable(const Threads& threads);

  const bitcode::PointsTo& points_to_;
  std::vector<bool> single_, reachable_;
};

}  // namespace foretell::static_analysis
