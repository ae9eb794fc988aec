// SPDX-License-Identifier: Apache-2.0

// ExprContext: makes expressions, and owns them.
//
// Every constructor folds constants and brings its result to a normal form, by rules that hold for
// all values (tests/unit/smt/simplify_test.cc evaluates thousands of random expressions before and
// after):
//   - constants are the first operand of a commutative operator, and constants of nested additions,
//     multiplications and bit operations are merged; other operands of commutative bit operators
//     are ordered by structure, so the form depends on no history;
//   - a - c is (-c) + a, a > b is b < a, a <= b is !(b < a), a != b is !(a == b);
//   - extracts go through concatenations and extensions, and neighboring extracts are joined: a
//   word
//     that was stored and loaded byte by byte is itself again;
//   - an equation with a constant is moved as deep as it goes;
//   - a load finds the store it reads where the indexes are equal, or differ by a constant.
// && and || keep the order of their operands.
//
// Nothing is global. A context belongs to one thread at a time.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <deque>
#include <initializer_list>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "smt/expr.h"

namespace foretell::smt {

class ExprContext {
 public:
  ExprContext() = default;
  ExprContext(const ExprContext&) = delete;
  ExprContext& operator=(const ExprContext&) = delete;

  // A name belongs to one sort.
  Expr variable(std::string_view name, Sort sort);
  Expr constant(const Bits& value);
  Expr constant(uint32_t width, uint64_t value) { return constant(Bits(width, value)); }
  Expr boolean(bool value);

  Expr negation(Expr a);
  Expr complement(Expr a);
  Expr add(Expr a, Expr b);
  Expr subtract(Expr a, Expr b);
  Expr multiply(Expr a, Expr b);
  Expr udiv(Expr a, Expr b);
  Expr urem(Expr a, Expr b);
  Expr sdiv(Expr a, Expr b);
  Expr srem(Expr a, Expr b);
  Expr bit_and(Expr a, Expr b);
  Expr bit_or(Expr a, Expr b);
  Expr bit_xor(Expr a, Expr b);
  Expr shl(Expr a, Expr by);
  Expr lshr(Expr a, Expr by);
  Expr ashr(Expr a, Expr by);
  Expr concat(Expr high, Expr low);
  Expr extract(Expr a, uint32_t low, uint32_t width);
  // To a width that is at least the present one.
  Expr zero_extend(Expr a, uint32_t width);
  Expr sign_extend(Expr a, uint32_t width);

  // Of booleans or of bit-vectors.
  Expr equal(Expr a, Expr b);
  Expr not_equal(Expr a, Expr b) { return logical_not(equal(a, b)); }
  Expr ult(Expr a, Expr b);
  Expr ule(Expr a, Expr b) { return logical_not(ult(b, a)); }
  Expr slt(Expr a, Expr b);
  Expr sle(Expr a, Expr b) { return logical_not(slt(b, a)); }
  // Of places.
  Expr before(Expr a, Expr b);

  Expr logical_not(Expr a);
  Expr logical_and(std::span<const Expr> operands);
  Expr logical_or(std::span<const Expr> operands);
  Expr logical_and(std::initializer_list<Expr> o) {
    return logical_and(std::span(o.begin(), o.size()));
  }
  Expr logical_or(std::initializer_list<Expr> o) {
    return logical_or(std::span(o.begin(), o.size()));
  }
  Expr implies(Expr a, Expr b) { return logical_or({logical_not(a), b}); }
  // Of any sort but places.
  Expr ite(Expr condition, Expr then, Expr otherwise);

  // An array that holds `element` everywhere.
  Expr constant_array(uint32_t index_width, Expr element);
  Expr select(Expr array, Expr index);
  Expr store(Expr array, Expr index, Expr element);

  // `e` with other operands of the same sorts, in normal form.
  Expr rebuild(Expr e, std::span<const Expr> operands);
  // `e` with variables replaced, all at once.
  Expr substitute(Expr e, const absl::flat_hash_map<Expr, Expr>& replacements);

  size_t size() const { return nodes_.size(); }

 private:
  struct Shape {
    ExprKind kind;
    Sort sort;
    uint32_t low;
    std::span<const Expr> operands;
    const Bits* value;
    std::string_view name;
    uint64_t hash;
  };
  struct HashNode {
    using is_transparent = void;
    size_t operator()(Expr e) const { return e.structural_hash(); }
    size_t operator()(const Shape& s) const { return s.hash; }
  };
  struct SameNode {
    using is_transparent = void;
    bool operator()(Expr a, Expr b) const { return a == b; }
    bool operator()(Expr e, const Shape& s) const;
    bool operator()(const Shape& s, Expr e) const { return (*this)(e, s); }
  };

  Expr intern(Shape shape);
  Expr make(ExprKind kind, Sort sort, std::initializer_list<Expr> operands, uint32_t low = 0);
  // The constant, if all operands are constants; otherwise the plain node.
  Expr fold(ExprKind kind, Sort sort, std::initializer_list<Expr> operands, uint32_t low = 0);
  Expr commutative(ExprKind kind, Expr a, Expr b);
  // One operator with its constants merged: c1 op (c2 op x) is (c1 op c2) op x. Needs a constant
  // first.
  Expr merge_constants(ExprKind kind, Expr a, Expr b);
  Expr equal_to_constant(Expr constant, Expr b);
  Expr junction(ExprKind kind, std::span<const Expr> operands);
  Expr boolean_ite(Expr condition, Expr then, Expr otherwise);

  std::pmr::monotonic_buffer_resource memory_;
  std::deque<Bits> values_;
  std::deque<std::string> names_;
  absl::flat_hash_set<Expr, HashNode, SameNode> nodes_;
  absl::flat_hash_map<std::string_view, Expr> variables_;
};

}  // namespace foretell::smt
