// SPDX-License-Identifier: Apache-2.0

// Updates whose result does not depend on their order: `x = x + e`, `x -= e`, `x |= e` and so on,
// each as one step under a lock or as one atomic operation, with the old value used for nothing
// else. One family of operators per cell: a mix of + and - is one, a mix of + and * is none.
//
// Nothing else of the program may depend on the schedule; then the operands, and how often the
// updates are executed, do not either. Integers only: sums of floating point numbers differ by
// rounding.
#pragma once

#include <llvm/ADT/DenseMap.h>

#include "static_analysis/determinism/conflicts.h"

namespace foretell::static_analysis {

enum class ReductionOperator : uint8_t {
  sum,
  product,
  bits_and,
  bits_or,
  bits_xor,
  signed_min,
  signed_max,
  unsigned_min,
  unsigned_max,
  rounded_sum,
  rounded_product
};
const char* name_of(ReductionOperator operation);
// Whether the result is exactly the same in any order.
bool is_exact(ReductionOperator operation);

struct Reduction {
  ReductionOperator operation{};
  const llvm::Instruction* load = nullptr;  // the same as the store, if atomic
  const llvm::Instruction* store = nullptr;
  const llvm::Type* type = nullptr;
  const llvm::Value* operand = nullptr;
};

class Reductions {
 public:
  explicit Reductions(const Threads& threads);

  // The update that an access is part of.
  const Reduction* of(const llvm::Instruction& access) const;
  // Whether the two only reorder updates of one kind. They may still differ by rounding.
  bool explains(const Conflict& conflict, const PairRules& rules) const;

 private:
  void add(const llvm::StoreInst& store);
  void add(const llvm::AtomicRMWInst& update);

  std::vector<Reduction> all_;
  llvm::DenseMap<const llvm::Instruction*, size_t> of_;
};

}  // namespace foretell::static_analysis
