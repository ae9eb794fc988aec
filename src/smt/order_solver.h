// SPDX-License-Identifier: Apache-2.0

// OrderSolver: chooses some of a number of items and an order of them, under clauses. A client of
// the solvers of this room.
//
// A clause is a list of literals of which one must hold: an item is chosen, is not chosen, comes
// before another, or a free boolean. There is no literal "not before": items that are unordered in
// the solution may stand in either order, so a clause must say which orders it wants.
//
// Each item has a place (smt/expr.h), and places are compared by difference logic, in which Z3 is
// complete. The effort is limited by Z3's own count of steps, not by time, so the outcome is the
// same everywhere. Nothing here knows traces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "smt/expr_context.h"

namespace foretell::smt {

enum class SolverOutcome : uint8_t { solved, unsolvable, gave_up };

class OrderSolver {
 public:
  using Item = uint32_t;

  class Literal {
   public:
    static Literal chosen(Item item) { return {Kind::chosen, item, 0}; }
    static Literal not_chosen(Item item) { return {Kind::not_chosen, item, 0}; }
    static Literal before(Item first, Item second) { return {Kind::before, first, second}; }
    // Of a boolean only.
    Literal operator!() const {
      return {kind_ == Kind::yes ? Kind::no : Kind::yes, first_, second_};
    }

   private:
    friend class OrderSolver;
    enum class Kind : uint8_t { chosen, not_chosen, before, yes, no };
    Literal(Kind kind, Item first, Item second) : kind_(kind), first_(first), second_(second) {}
    Kind kind_;
    Item first_, second_;
  };

  explicit OrderSolver(size_t items);

  // A boolean that nothing else mentions.
  Literal fresh();
  void require_one_of(std::span<const Literal> literals);

  // `effort` in Z3's steps.
  SolverOutcome solve(uint32_t effort);
  // The chosen items in order; those that the solution leaves unordered, by number. After `solved`.
  const std::vector<Item>& order() const { return order_; }

 private:
  Expr expression_of(const Literal& literal);

  ExprContext context_;
  std::vector<Expr> places_, choices_;  // by item
  std::vector<Expr> booleans_;
  std::vector<Expr> clauses_;
  std::vector<Item> order_;
};

}  // namespace foretell::smt
