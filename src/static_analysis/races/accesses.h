// SPDX-License-Identifier: Apache-2.0

// The accesses to memory that two threads can get hold of, by the object they touch.
#pragma once

#include <map>

#include "static_analysis/check.h"
#include "static_analysis/sync/lock_sets.h"

namespace foretell::static_analysis {

struct Access {
  const llvm::Instruction* instruction = nullptr;
  const llvm::Value* pointer = nullptr;  // none: somewhere in what the call was given
  ThreadId thread{};
  AccessMode mode{};
  bool is_atomic = false;
  std::optional<uint64_t> extent;  // bytes; nothing: to the end of the object
  std::vector<bitcode::Target> targets;
};

using AccessIndex = uint32_t;

class Accesses {
 public:
  Accesses(const Threads& threads, const Objects& objects, const bitcode::PointsTo& points_to);

  const std::vector<Access>& all() const { return accesses_; }
  const Access& operator[](AccessIndex index) const { return accesses_[index]; }
  // Of each object that is not confined and that somebody writes to.
  const std::map<bitcode::ObjectId, std::vector<AccessIndex>>& by_object() const {
    return by_object_;
  }

 private:
  void add(const Access& access, const bitcode::Bits& targets);
  void spread_unknown();
  void add_handles(const llvm::CallBase& call, const Threads& threads);

  const Objects& objects_;
  const bitcode::PointsTo& points_to_;
  std::vector<Access> accesses_;
  std::map<bitcode::ObjectId, std::vector<AccessIndex>> by_object_;
};

// The two targets of one object at which the accesses can overlap; nothing if there are none.
std::optional<std::pair<bitcode::Target, bitcode::Target>> overlap(const Access& a, const Access& b,
                                                                   bitcode::ObjectId object);

}  // namespace foretell::static_analysis
