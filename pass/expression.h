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
  // A value: its text and type. `object`: a pointer that is written like what it points at, as the
  // result of v[i] is.
  struct Term {
    std::string text;
    const llvm::DIType* type = nullptr;
    bool object = false;
  };
  // Memory at `offset` bytes in an object of `type`. The object is `text`, or what the pointer
  // `text` points at. `dimension` counts the array indices already written.
  struct Place {
    std::string text;
    const llvm::DIType* type = nullptr;
    bool through_pointer = false;
    bool inside = false;  // an unnamed member was entered: `text` cannot be indexed any more
    int64_t offset = 0;
    unsigned dimension = 0;
  };
  struct Variable {
    const llvm::DILocalVariable* variable;
    const llvm::DILocation* inlined_at;
  };
  using Variables = llvm::DenseMap<const llvm::Value*, llvm::SmallVector<Variable, 1>>;

  Place place_of(const llvm::Value* pointer, unsigned depth);
  Place index(const llvm::GEPOperator& last, unsigned depth);
  void element(Place& place, const std::string& index, uint64_t stride);
  Term term_of(const llvm::Value* value, unsigned depth);
  Term term_of_call(const llvm::CallBase& call, unsigned depth);
  // Goes down to the smallest member that holds `size` bytes at the place.
  Term finish(Place place, uint64_t size);
  bool enter_member(Place& place, uint64_t size);
  bool enter_element(Place& place, uint64_t size);
  // What a person would write for the mutex, condition, ... of that type that begins at the place;
  // empty if the place is one, or holds none.
  std::string synchronizer_at(Place place, llvm::StringRef type);
  static Place dereference(Term pointer);
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
