// SPDX-License-Identifier: Apache-2.0

// What a person would write for the memory an instruction touches: "acc.balance", "q->tail",
// "buf[i]", "*p".
//
// The compiler forgot the expression, but not what it was made of: a pointer is a chain of address
// computations that starts at a global, a stack slot, a parameter, or another load. The chain is
// walked back to its root, the root gets its name from the debug info, and byte offsets on the way
// become members and elements of the debug types. Optimization merges and reorders address
// computations but cannot change the byte offsets, so this works at every level.
// Members with reserved names (std::vector's _M_start) are left out: `v[i]`, not
// `v._M_impl._M_start[i]`. What cannot be rebuilt is empty, or `...` for an index.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Operator.h>

#include <string>

#include "debug_info.h"
#include "typed_place.h"

namespace foretell::pass {

class Expressions {
 public:
  explicit Expressions(llvm::Function& function);

  // The object at `pointer`, of which `size` bytes are accessed at `position`.
  std::string of_access(const llvm::Value* pointer, uint64_t size, const Position& position);
  // The first pointer that `call` passes, without a leading `&`.
  std::string of_call(const llvm::CallBase& call, const Position& position);

  // A global's name and type, and where in that variable it begins (optimization splits them).
  struct Global {
    std::string name;
    const llvm::DIType* type = nullptr;
    uint64_t offset = 0;
  };
  static Global describe(const llvm::GlobalVariable& global);

 private:
  struct Variable {
    const llvm::DILocalVariable* variable;
    const llvm::DILocation* inlined_at;
  };
  using Variables = llvm::DenseMap<const llvm::Value*, llvm::SmallVector<Variable, 1>>;

  Place place_of(const llvm::Value* pointer, unsigned depth);
  Place index(const llvm::GEPOperator& last, unsigned depth);
  Term term_of(const llvm::Value* value, unsigned depth);
  Term term_of_call(const llvm::CallBase& call, unsigned depth);
  const llvm::DILocalVariable* variable(const Variables& of, const llvm::Value* value,
                                        bool of_this_frame) const;
  // The user's own variable in the frame of the position, if `value` is one's value.
  const llvm::DILocalVariable* frame_variable(const llvm::Value* value) const;

  const llvm::DataLayout& layout_;
  Variables values_;  // variables whose value an SSA value is
  Variables slots_;   // variables that live at an address
  const Position* position_ = nullptr;
};

}  // namespace foretell::pass
