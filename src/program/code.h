// SPDX-License-Identifier: Apache-2.0

// Code: a whole program in a small instruction set that an interpreter can follow, without a word
// of LLVM.
//
// bitcode/code/lower.h fills it from the prepared module (bitcode/code/prepare.h). Registers are in
// static single assignment form, numbered per function, parameters first. Instructions are numbered
// through the program in the order of the module, which is the same whenever the module is read:
// these numbers are the program counters of schedules, and `foretell constrain` finds its calls by
// them.
//
// What the instruction set has no word for becomes Operation::unsupported with a text that names it.
// It is an error only where it is executed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace foretell::program {

inline constexpr uint32_t kNoRegister = ~uint32_t{0};

enum class Operation : uint8_t {
  // clang-format off
  add, subtract, multiply, udiv, urem, sdiv, srem, bit_and, bit_or, bit_xor, shl, lshr, ashr,
  equal, not_equal, ult, ule, slt, sle,
  zero_extend, sign_extend, truncate,
  pointer_to_integer, integer_to_pointer, freeze,
  choose,        // condition, then, otherwise
  real,          // floating point: `text` is LLVM's name of the operator
  alloca_,       // count; `bytes` each
  load, store,   // address / value, address; `bytes`
  address,       // base, indices; `offset` + sum of index * scale
  phi,           // one operand for each block of `targets`
  call,          // callee, arguments
  jump, branch,  // condition; targets: if true, if false
  select_case,   // value; targets: default, then one for each of `cases`
  give_back,     // return, with at most one operand
  unreachable,
  unsupported,
  // clang-format on
};

struct Operand {
  enum class Kind : uint8_t { integer, real, reg, global, function, null, undefined };
  Kind kind = Kind::undefined;
  uint8_t width = 0;   // in bits; 64 for addresses
  uint32_t index = 0;  // of the register, global or function
  uint64_t bits = 0;   // of the constant; an offset into the global
};

// Bytes of an abstract object: those at offset + k * stride for any k, `size` bytes each. Of an
// unbounded size: to the end.
struct AbstractBytes {
  static constexpr uint64_t kToTheEnd = ~uint64_t{0};
  uint32_t object = 0;
  uint64_t offset = 0, stride = 0, size = kToTheEnd;
};

struct CodePosition {
  uint32_t file = 0, line = 0, column = 0;
};

struct CodeInstruction {
  Operation operation = Operation::unsupported;
  uint8_t width = 0;  // of the result in bits; of the operands in comparisons and casts
  bool makes_pointer = false;
  bool makes_real = false;
  uint32_t result = kNoRegister;
  uint32_t id = 0;
  std::vector<Operand> operands;
  std::vector<uint32_t> targets;  // blocks
  std::vector<uint64_t> cases;
  std::vector<int64_t> scales;
  int64_t offset = 0;
  uint64_t bytes = 0;
  std::string text;
  std::vector<uint32_t> callees;      // functions it may call
  std::vector<uint32_t> objects;      // abstract objects that it creates
  std::vector<AbstractBytes> writes;  // what it may write itself, not through functions it calls
  CodePosition position;
};

struct CodeBlock {
  std::vector<CodeInstruction> instructions;
};

// What is known of a function without code (share/externals.spec).
struct KnownExternal {
  bool is_known = false;  // it keeps no pointer that it is given
  bool gives_library_memory = false;
  bool gives_first = false;  // the result points into the first argument
  uint32_t writes = 0;       // bit i: through argument i
};

struct CodeFunction {
  std::string name;
  uint32_t parameters = 0;
  uint32_t registers = 0;
  bool is_variadic = false;
  bool returns_pointer = false;
  bool returns_real = false;
  KnownExternal external;
  uint8_t result_width = 0;
  std::vector<CodeBlock> blocks;   // none: only declared
  std::vector<std::string> names;  // of variables that registers hold, by register; empty: none
  CodePosition position;

  std::string name_of(uint32_t reg) const {
    return reg < names.size() && !names[reg].empty() ? names[reg] : "r" + std::to_string(reg);
  }
};

struct CodeReference {
  uint64_t at = 0;
  Operand to;
};

struct CodeGlobal {
  std::string name;
  uint64_t size = 0;
  bool is_constant = false;
  bool is_thread_local = false;
  bool is_external = false;  // defined by somebody else
  std::vector<uint8_t> bytes;
  std::vector<CodeReference> references;
  std::vector<uint32_t> objects;
};

struct Code {
  std::vector<std::string> files;
  std::vector<CodeGlobal> globals;
  std::vector<CodeFunction> functions;
  uint32_t abstract_objects = 0;
  uint32_t instructions = 0;

  const CodeFunction* find_function(std::string_view name) const {
    for (const CodeFunction& function : functions)
      if (function.name == name) return &function;
    return nullptr;
  }
  std::string text_of(const CodePosition& position) const {
    if (position.line == 0) return "?";
    return files[position.file] + ":" + std::to_string(position.line);
  }
};

// Whether a function of this name synchronizes, by program/synchronization.def.
constexpr bool is_synchronization(std::string_view name) {
#define SYNC(function, ordered) \
  if (name == #function) return true;
#include "program/synchronization.def"
  return false;
}

}  // namespace foretell::program
