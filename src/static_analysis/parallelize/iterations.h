// SPDX-License-Identifier: Apache-2.0

// Whether accesses of different iterations of a loop touch different bytes.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>

#include <optional>

namespace foretell::static_analysis {

// Bytes from an address that does not change in the loop: step * iteration + [low, high).
struct IterationSpan {
  const llvm::SCEV* base = nullptr;
  int64_t step = 0, low = 0, high = 0;
};

// Of a load or store; nothing for an address that is not of this form.
std::optional<IterationSpan> span_in_iteration(const llvm::Instruction& access,
                                               const llvm::Loop& loop,
                                               llvm::ScalarEvolution& evolution);
// Whether the two never meet in different iterations.
bool keep_to_iterations(const IterationSpan& a, const IterationSpan& b,
                        llvm::ScalarEvolution& evolution);

}  // namespace foretell::static_analysis
