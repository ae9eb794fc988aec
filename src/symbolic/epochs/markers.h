// SPDX-License-Identifier: Apache-2.0

// PlaceEpochMarkers (COVER figure 2): where an epoch may end.
//
// Between two markers of a thread there is a bounded number of operations of synchronization. So every
// cycle of the control flow that synchronizes has one, at the beginning of the loop, except where
//   - all that it does is wait on a condition, or create and join threads: these are bounded by what
//     else happens (trivial loops);
//   - every way around passes another marker (covered loops);
//   - every way around passes pthread_barrier_wait, which is a marker of its own.
// Recursion that synchronizes has a marker where its functions begin.
//
// And points of reading, behind an instruction whose result no term expresses (what a file holds, what a
// comparison of floating point says) but which decides what is synchronized: there the epoch ends, and in the
// next one the result is an input (COVER 6.2, "continuous inputs"). The search finds which ones are needed.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "program/code.h"

namespace foretell::symbolic {

class Markers {
 public:
  // `enabled` is false for a program that is to be one epoch.
  // `readings`: instructions before which there is a point of reading.
  Markers(const program::Code& code, bool enabled, const std::set<uint32_t>& readings);

  // The marker at the beginning of the block, or null. It is no instruction of the program: it has the
  // number and the place of the first one of its block.
  const program::CodeInstruction* at(uint32_t function, uint32_t block) const {
    const uint32_t number = functions_[function].marker[block];
    return number == 0 ? nullptr : &instructions_[number - 1];
  }
  bool has_any() const { return enabled_; }
  const program::CodeInstruction* find(uint32_t id) const {
    for (const program::CodeInstruction& marker : instructions_)
      if (marker.id == id) return &marker;
    return reading(id);
  }
  const std::vector<program::CodeInstruction>& all() const { return instructions_; }
  // The point of reading before this instruction, or null.
  const program::CodeInstruction* reading(uint32_t id) const {
    const auto at = readings_.find(id);
    return at == readings_.end() ? nullptr : &at->second;
  }
  const std::map<uint32_t, program::CodeInstruction>& readings() const { return readings_; }
  // The block's last instruction may leave a loop that synchronizes.
  bool decides_loop(uint32_t function, uint32_t block) const {
    return functions_[function].decides[block];
  }
  // Every way from the beginning of the function to `block` passes `dominator`.
  bool dominates(uint32_t function, uint32_t dominator, uint32_t block) const;
  // A function of this kind may be on a stack more than once.
  bool is_recursive(uint32_t function) const { return functions_[function].is_recursive; }

  struct Loop {
    uint32_t header = 0;
    std::vector<bool> blocks;
    size_t size = 0;
  };
  // Smaller ones first.
  std::vector<Loop> loops_of(uint32_t function) const;

 private:
  struct FunctionRow {
    std::vector<uint32_t> marker;  // number in instructions_, from 1
    std::vector<bool> decides;
    bool is_recursive = false;
    bool is_covered = false;    // a marker must execute in it
    uint32_t synchronizes = 0;  // bits of what it may do, with its callees
  };

  uint32_t kinds_of(const program::CodeInstruction& instruction) const;
  uint32_t kinds_of(uint32_t function, const std::vector<bool>* blocks) const;
  bool must_mark(const program::CodeInstruction& instruction) const;
  bool is_covering(uint32_t function, uint32_t block) const;
  void find_kinds();
  void find_recursion();
  bool is_covered(uint32_t function, const Loop& loop) const;
  bool must_execute(uint32_t function) const;
  void place_below(uint32_t function, std::vector<bool>& visited);
  void place_in(uint32_t function);
  void add_marker(uint32_t function, uint32_t block);
  void add_reading(uint32_t before);

  const program::Code& code_;
  const bool enabled_;
  std::vector<FunctionRow> functions_;
  std::vector<program::CodeInstruction> instructions_;
  std::map<uint32_t, program::CodeInstruction> readings_;
};

}  // namespace foretell::symbolic
