// SPDX-License-Identifier: Apache-2.0

// What each kind of expression computes from the values of its operands. Booleans are Bits of
// width 1.
#pragma once

#include <span>

#include "smt/expr.h"

namespace foretell::smt {

// For every kind that computes a boolean or a bit-vector from booleans and bit-vectors; `sort` is
// that of the result, `low` as in Expr::low().
Bits apply(ExprKind kind, Sort sort, uint32_t low, std::span<const Bits* const> operands);

}  // namespace foretell::smt
