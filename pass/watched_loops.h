// SPDX-License-Identifier: Apache-2.0

// Loops of a body that watches (recording/watching.h): one check before the loop in place of one at
// each access of each round.
//
//   before    for (i = 0; i < n; i++) { check(&a[i]); a[i] = 0; }
//
//   after     work -= n                                  // rounds are counted at once
//             if (watched_loop(a, 4, n))                 // nothing there is recorded
//               for (i = 0; i < n; i++) a[i] = 0;
//             else
//               for (i = 0; i < n; i++) { check(&a[i]); a[i] = 0; }
//
// Why the check may come early: within a segment nothing depends on when a thread touches a granule.
// The others do not know the thread's present segment before it ends, so whatever they do to the
// granule meanwhile is unordered with both the check and the access, or ordered with both. A loop
// without calls, atomics and fences does not end a segment. Handlers of signals
// could, but none runs between the check and the end of the loop (runtime/hooks/watched.cc).
//
// What is touched is touched in fact, all of it and nothing else: the loop has one way out, at the
// end of a round, and the accesses are on every way through a round. Scalar evolution gives the
// address of round i as first + i * step, and the number of rounds before the first begins. The
// same holds for two loops within each other, if the inner one has as many rounds each time.
#pragma once

#include <array>

#include "instrumenter.h"

namespace foretell::pass {

// What the loops of a body became.
struct WatchedLoops {
  // The hooks of the body: those of the loops that check, too, which are copies, and without those
  // of the loops that need not check any more.
  Selection selection;
  std::vector<uint32_t> sites;  // of its hooks
  // Rounds that are to be counted all at once, before these instructions...
  std::vector<std::pair<llvm::Instruction*, llvm::Value*>> rounds;
  // ...and the latches of their loops.
  llvm::SmallPtrSet<const llvm::BasicBlock*, 8> counted;
};

// `check` emits, before an instruction, what finds out whether the accesses of a loop go without
// checks: an i1. The values are the arguments of __foretell_watched_loop (recording/hooks.h).
using CheckLoop = llvm::function_ref<llvm::Value*(
    llvm::Instruction& before, const std::array<llvm::Value*, 5>& arguments, uint32_t what)>;

WatchedLoops check_before_loops(llvm::Function& body, Selection selection,
                                const std::vector<uint32_t>& sites, CheckLoop check);

}  // namespace foretell::pass
