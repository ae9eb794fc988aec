// SPDX-License-Identifier: Apache-2.0

// What a register or a piece of memory holds while a path is executed.
//
// The executor is concolic: every value has its bits under the inputs of this run, and, if it
// depends on the inputs, the term that says how. Addresses are (object, offset), never addresses of
// this process. What depends on inputs in a way no term expresses (floating point, unmodeled
// functions) is opaque: its bits are those of this run, and nobody may conclude anything from it.
#pragma once

#include <cstdint>
#include <optional>

#include "smt/expr.h"

namespace foretell::symbolic {

enum class ObjectNumber : uint32_t {};
// Integers that were made pointers, and null, which is its offset 0.
inline constexpr ObjectNumber kNullObject{0};

constexpr uint32_t number(ObjectNumber object) {
  return static_cast<uint32_t>(object);
}

struct Value {
  enum class Kind : uint8_t { integer, pointer, function, real };
  Kind kind = Kind::integer;
  uint8_t width = 0;
  bool opaque = false;
  ObjectNumber object = kNullObject;  // of a pointer; of a function its index
  uint64_t bits = 0;                  // of a pointer the offset
  std::optional<smt::Expr> term;      // of the bits, if they depend on the inputs
  // Of what is opaque: the instruction, from 1, before which it could be read (epochs/markers.h), and a
  // number that its copies share.
  uint32_t origin = 0, mark = 0;

  static Value integer(uint8_t width, uint64_t bits) {
    return {.kind = Kind::integer, .width = width, .bits = bits};
  }
  static Value pointer(ObjectNumber object, uint64_t offset) {
    return {.kind = Kind::pointer, .width = 64, .object = object, .bits = offset};
  }
  bool is_address() const { return kind == Kind::pointer || kind == Kind::function; }
  // An address of which nothing is known.
  bool is_unknown_address() const { return opaque && is_address() && object == kNullObject; }
  static Value unknown_address(bool null) {
    Value value = pointer(kNullObject, null ? 0 : 1);
    value.opaque = true;
    return value;
  }
  bool is_null() const {
    return kind == Kind::pointer && object == kNullObject && bits == 0 && !term;
  }
};

constexpr uint64_t mask_of(uint32_t width) {
  return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
}
constexpr int64_t signed_of(uint64_t bits, uint32_t width) {
  if (width >= 64 || width == 0) return static_cast<int64_t>(bits);
  return static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
}

}  // namespace foretell::symbolic
