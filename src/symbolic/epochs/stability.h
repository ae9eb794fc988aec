// SPDX-License-Identifier: Apache-2.0

// Which values at the end of a path are those of every input of its constraint.
//
// A constraint holds what decides the schedule, nothing more: other inputs that satisfy it may go other ways
// off the slice. What these ways may write is unstable, and what is computed from it. Everything else at
// the end of the path is, for all these inputs, the value of its term.
//
// Forward over the trace. A branch off the slice that inputs may turn opens a region, up to where its
// ways meet; all that any of them may write, and all that is written in it, is unstable.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <vector>

#include "program/code.h"
#include "symbolic/executor/memory.h"
#include "symbolic/executor/path.h"
#include "symbolic/slicing/byte_ranges.h"
#include "symbolic/slicing/control_facts.h"

namespace foretell::symbolic {

class Stability {
 public:
  // `taken`: which steps are in the slice. `memory` is that of the end.
  Stability(const program::Code& code, const ControlFacts& facts, const Path& path,
            const std::vector<bool>& taken, const Memory& memory);

  bool is_stable(uint32_t frame, uint32_t reg) const {
    return !registers_.contains(uint64_t{frame} << 32 | reg);
  }
  bool is_stable(ObjectNumber object, uint64_t begin, uint64_t end) const {
    const auto known = memory_unstable_.find(number(object));
    return known == memory_unstable_.end() || !known->second.overlaps(begin, end);
  }
  // Ranges of an object, if there are any.
  const Intervals* unstable_bytes(ObjectNumber object) const {
    const auto known = memory_unstable_.find(number(object));
    return known == memory_unstable_.end() ? nullptr : &known->second;
  }

 private:
  struct Region {
    bool is_open = false;
    uint32_t frame = 0;
    uint32_t end_block = 0;
  };

  void visit(const Step& step, bool taken);
  void visit_call(const Step& step, bool unstable);
  void visit_return(const Step& step, bool unstable);
  void open_region(const Step& step, Region& region);
  bool close_region(const Step& step, Region& region) const;
  bool is_unstable(uint32_t frame, const program::Operand& operand) const {
    return operand.kind == program::Operand::Kind::reg && !is_stable(frame, operand.index);
  }
  void set(uint32_t frame, uint32_t reg, bool unstable);
  void write(const Detail& detail, bool unstable);
  void spoil(const std::vector<program::AbstractBytes>& writes);

  const program::Code& code_;
  const ControlFacts& facts_;
  const Path& path_;
  const Memory& memory_;
  absl::flat_hash_set<uint64_t> registers_;
  absl::flat_hash_map<uint32_t, Intervals> memory_unstable_;
  absl::flat_hash_map<uint32_t, Region> regions_;  // by thread: the outermost
};

}  // namespace foretell::symbolic
