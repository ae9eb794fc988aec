// SPDX-License-Identifier: Apache-2.0

// Precondition slicing (Costa et al., "Bouncer", SOSP 2007) with COVER's three additions (section
// 3.2): which branches of a path decide what it synchronizes.
//
// Backwards over the trace, with a set of what is live. In the slice are all synchronization, what
// writes something live, and the branches on which these depend (control_facts.h). Each thread has
// its own head of slice in each of its calls, so control is asked about within one function; what is
// live in memory is common to all threads, since there are no races.
//
// Cost: linear in the trace; a question about control is answered once for a pair of blocks.
#pragma once

#include <string>
#include <vector>

#include "smt/expr.h"
#include "symbolic/executor/memory.h"
#include "symbolic/executor/path.h"
#include "symbolic/slicing/control_facts.h"

namespace foretell::symbolic {

struct Slice {
  // In the order of the path.
  std::vector<smt::Expr> conditions;
  // Decisions of the slice that no term expresses: "t.c:12: the result of sqrt".
  struct Opaque {
    std::string text;
    uint32_t origin = 0;  // as in Detail
  };
  std::vector<Opaque> opaque;
  std::vector<bool> taken;  // by step: whether it is in the slice
  size_t steps = 0;         // in the slice
};

Slice precondition_slice(const program::Code& code, const ControlFacts& facts, const Path& path,
                         const Memory& memory);

}  // namespace foretell::symbolic
