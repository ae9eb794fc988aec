// SPDX-License-Identifier: Apache-2.0

// Operators on values: the bits as C computes them, and the term where an operand has one.
//
// What C leaves undefined (division by zero, too large shifts) is as in SMT-LIB (smt/bits.h), so terms
// are total; the executor stops before it relies on such a result.
#pragma once

#include "program/code.h"
#include "smt/expr_context.h"
#include "symbolic/executor/value.h"

namespace foretell::symbolic {

class Arithmetic {
 public:
  explicit Arithmetic(smt::ExprContext& context) : context_(context) {}

  smt::Expr term_of(const Value& value) const {
    return value.term ? *value.term
                      : context_.constant(value.width, value.bits & mask_of(value.width));
  }
  // A boolean: the value is not zero.
  smt::Expr condition_of(const Value& value) const;

  // Integers only, but for additions to addresses and comparisons.
  Value binary(program::Operation operation, const Value& a, const Value& b) const;
  Value compare(program::Operation operation, const Value& a, const Value& b) const;
  Value resize(program::Operation operation, const Value& a, uint8_t width) const;
  Value choose(const Value& condition, const Value& then, const Value& otherwise) const;
  // base + offset + sum of index * scale; indices are sign-extended.
  Value shifted(const Value& base, const Value& by) const;
  Value real(const program::CodeInstruction& instruction, const Value& a, const Value& b) const;

 private:
  Value with_term(Value value, smt::Expr term) const;

  smt::ExprContext& context_;
};

}  // namespace foretell::symbolic
