// Which instructions of a function get a hook.
//
// Inline assembly with a word in memory is taken for an atomic that acquires and releases: locks
// are made of that, and what they protect must not look unprotected. An empty one touches nothing.
//
// Left out, in addition to what cannot be shared (constants, memory the optimizer calls invariant):
//
// Private stack slots. An alloca whose address is only used to load, store, offset, copy or mark
// its lifetime is known to nobody but this function's own instructions, so no other thread can
// touch it: no race, no order and no value seen by another thread depends on these accesses. The
// rule is stricter than "not captured": if the address is passed to a call that forgets it again,
// the callee would record some accesses of the slot and this function would not, and the values in
// the trace would contradict each other.
//
// Repeated reads. A read of the same pointer and size as one recorded before it in the same block
// is left out if only reads of this thread stand between: no call, atomic, fence or recorded
// write. Verdicts are kept: let an interleaving end with the second read and another thread's
// write both pending. Stop the reader at its first read instead; what it no longer does is
// reads, which no other thread can notice, so the interleaving still holds and ends with the first
// read and that write pending. The value read is the same, too: in a controlled run nothing can
// come between two recorded steps, and the language allows the compiler to merge the two. Volatile
// reads are never left out. A write in between does end it, even of another location: the other
// thread may need to see it to get to its own write.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <vector>

namespace llvm {
class TargetLibraryInfo;
}

namespace foretell::pass {

enum class Hook {
  access,     // load or store with a recorded value
  filtered,   // load of which repeats are left out when the program runs (runtime/filter.h)
  range,      // load or store of anything else
  masked,     // vector load or store of some lanes
  copy_from,  // memory intrinsic, its source
  copy_to,    // memory intrinsic, its destination
  atomic,
  assembly,  // inline, with an operand in memory
  fence,
  call,
  branch,
};

struct Hooked {
  llvm::Instruction* instruction;
  Hook hook;
};

struct Selection {
  std::vector<Hooked> hooked;
  uint32_t skipped = 0;
  uint32_t repeated = 0;
  uint32_t accesses = 0;  // hooks that record an access
  uint32_t calls = 0;
};

// Whether somebody asked for the function to be left alone.
bool is_ignored(const llvm::Function& function);
// Whether the function is instrumented at all.
bool is_instrumented(const llvm::Function& function);
Selection select(llvm::Function& function, const llvm::TargetLibraryInfo& library);

// Whether values of this type are recorded inline: 1, 2, 4 or 8 bytes of integer, pointer or
// floating point.
bool has_recorded_value(const llvm::Type* type, const llvm::DataLayout& layout);

// The word of memory that inline assembly works on, as far as its operands tell: of those in
// memory the first; of one that locks the bus, without any, the first pointer in a register.
struct AssemblyOperand {
  llvm::Value* pointer = nullptr;  // null: there is none
  llvm::Type* type = nullptr;      // an integer of 1, 2, 4 or 8 bytes
};
AssemblyOperand operand_of(const llvm::CallBase& assembly);

// A function of the C library's kind that looks at its arguments and may set errno, which is the
// thread's own.
bool only_sets_errno(const llvm::CallBase& call);

// An alloca that only its own function's instructions can reach.
bool is_private(const llvm::AllocaInst& slot);

}  // namespace foretell::pass
