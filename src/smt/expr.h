// Expr: a handle of an immutable, hash-consed expression.
//
// Expressions live in the ExprContext that made them (smt/expr_context.h) and must not outlive it.
// Two expressions of one context are equal if and only if they are the same node, so comparing them
// is comparing pointers. Operands always have smaller ids than the expression they belong to.
//
// Sorts: booleans, bit-vectors of any width, arrays from bit-vectors to bit-vectors, and places. A
// place is an integer of which only the order counts: the theory of orders (difference logic) that
// smt/order_solver.h needs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "smt/bits.h"

namespace foretell::smt {

enum class ExprKind : uint8_t {
#define EXPR(name, smtlib, text) name,
#include "smt/expr.def"
#undef EXPR
};

std::string_view name_of(ExprKind kind);
std::string_view smtlib_operator(ExprKind kind);
std::string_view text_operator(ExprKind kind);

enum class SortKind : uint8_t { boolean, bits, array, place };

struct Sort {
  SortKind kind = SortKind::boolean;
  uint32_t width = 1;        // of the bit-vector, or of an array's elements
  uint32_t index_width = 0;  // of an array's indexes

  static Sort boolean() { return {}; }
  static Sort bits(uint32_t width) { return {SortKind::bits, width, 0}; }
  static Sort array(uint32_t index_width, uint32_t width) {
    return {SortKind::array, width, index_width};
  }
  static Sort place() { return {SortKind::place, 0, 0}; }
  bool operator==(const Sort&) const = default;
};

// Which sorts beside booleans an expression is built from: what a solver must know to decide it.
struct SortsUsed {
  bool bits : 1 = false, arrays : 1 = false, places : 1 = false;

  void add(Sort sort) {
    bits |= sort.kind == SortKind::bits;
    arrays |= sort.kind == SortKind::array;
    places |= sort.kind == SortKind::place;
  }
  void add(SortsUsed other) {
    bits |= other.bits;
    arrays |= other.arrays;
    places |= other.places;
  }
};

class ExprContext;

class Expr {
 public:
  ExprKind kind() const { return node_->kind; }
  Sort sort() const { return node_->sort; }
  // Of a bit-vector.
  uint32_t width() const { return node_->sort.width; }
  std::span<const Expr> operands() const;
  Expr operand(size_t i) const { return operands()[i]; }
  // Of an extract: the position of its lowest bit.
  uint32_t low() const { return node_->low; }
  // Of a constant; booleans have width 1.
  const Bits& value() const { return *node_->value; }
  // Of a variable.
  std::string_view name() const { return *node_->name; }
  // Of the expression and everything below it.
  SortsUsed sorts_used() const { return node_->sorts_used; }
  // Numbers expressions in the order in which their context first saw them.
  uint32_t id() const { return node_->id; }
  // Depends on nothing but the structure, so it is the same in every context and every run.
  uint64_t structural_hash() const { return node_->hash; }

  bool is_constant() const { return kind() == ExprKind::constant; }
  bool is_true() const { return is_constant() && is_boolean() && value().is_true(); }
  bool is_false() const { return is_constant() && is_boolean() && value().is_zero(); }
  bool is_boolean() const { return sort().kind == SortKind::boolean; }
  bool is_bits() const { return sort().kind == SortKind::bits; }
  bool is_array() const { return sort().kind == SortKind::array; }

  bool operator==(const Expr&) const = default;
  template <class H>
  friend H AbslHashValue(H h, Expr e) {
    return H::combine(std::move(h), e.node_);
  }

 private:
  friend class ExprContext;
  struct Node {
    ExprKind kind;
    SortsUsed sorts_used;
    Sort sort;
    uint32_t id;
    uint32_t low;
    uint32_t operand_count;
    uint64_t hash;
    const Expr* operands;
    const Bits* value;
    const std::string* name;
  };
  explicit Expr(const Node* node) : node_(node) {}
  const Node* node_;
};

inline std::span<const Expr> Expr::operands() const {
  return {node_->operands, node_->operand_count};
}

SortsUsed sorts_used(std::span<const Expr> roots);
// The SMT-LIB logic that has these sorts.
std::string_view logic_of(SortsUsed sorts);

// Less in an order that depends on structure alone.
bool structurally_before(Expr a, Expr b);

// Visits everything the root consists of, operands before what they belong to, and leaves out what
// is already known; `visit(e)` must make `is_known(e)` true. Paths of a program make deep
// expressions: nothing in this room recurses over one.
template <class IsKnown, class Visit>
void visit_unknown(Expr root, IsKnown is_known, Visit visit) {
  std::vector<std::pair<Expr, size_t>> open{
      {root, 0}};  // with the number of operands already looked at
  while (!open.empty()) {
    auto& [part, next] = open.back();
    if (next == 0 && is_known(part)) {
      open.pop_back();
    } else if (next < part.operands().size()) {
      open.emplace_back(part.operand(next++), 0);
    } else {
      visit(part);
      open.pop_back();
    }
  }
}

// Everything the roots consist of, each once, operands before what they belong to.
std::vector<Expr> post_order(std::span<const Expr> roots);

// The variables of the roots, in the order of post_order.
std::vector<Expr> variables_of(std::span<const Expr> roots);

}  // namespace foretell::smt
