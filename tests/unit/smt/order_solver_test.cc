// SPDX-License-Identifier: Apache-2.0

#include "smt/order_solver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>

namespace foretell::smt {
namespace {

using Item = OrderSolver::Item;
using Literal = OrderSolver::Literal;

void require(OrderSolver& solver, std::vector<Literal> clause) {
  solver.require_one_of(clause);
}

TEST(OrderSolver, chosen_items_come_in_order) {
  OrderSolver solver(3);
  require(solver, {Literal::chosen(0)});
  require(solver, {Literal::chosen(2)});
  require(solver, {Literal::not_chosen(1)});
  require(solver, {Literal::before(2, 0)});
  ASSERT_EQ(solver.solve(1'000'000), SolverOutcome::solved);
  EXPECT_EQ(solver.order(), (std::vector<Item>{2, 0}));
}

TEST(OrderSolver, a_cycle_is_unsolvable) {
  OrderSolver solver(2);
  require(solver, {Literal::before(0, 1)});
  require(solver, {Literal::before(1, 0)});
  EXPECT_EQ(solver.solve(1'000'000), SolverOutcome::unsolvable);
}

TEST(OrderSolver, an_empty_clause_is_unsolvable) {
  OrderSolver solver(1);
  require(solver, {});
  EXPECT_EQ(solver.solve(1'000'000), SolverOutcome::unsolvable);
}

TEST(OrderSolver, too_little_effort_is_giving_up) {
  OrderSolver solver(60);
  for (Item i = 0; i < 60; ++i) {
    for (Item j = 0; j < i; ++j) require(solver, {Literal::before(i, j), Literal::before(j, i)});
  }
  EXPECT_EQ(solver.solve(10), SolverOutcome::gave_up);
}

// Against all orders of all subsets of four items.
struct Clause {
  struct Part {
    int kind;  // 0 chosen, 1 not chosen, 2 before
    Item first, second;
  };
  std::vector<Part> parts;

  bool holds(const std::vector<Item>& order, const std::vector<bool>& chosen) const {
    return std::ranges::any_of(parts, [&](const Part& p) {
      if (p.kind < 2) return chosen[p.first] == (p.kind == 0);
      return std::ranges::find(order, p.first) < std::ranges::find(order, p.second);
    });
  }
};

// All four items have a place, chosen or not.
bool is_solvable(const std::vector<Clause>& clauses) {
  for (unsigned mask = 0; mask < 16; ++mask) {
    std::vector<bool> chosen;
    for (unsigned i = 0; i < 4; ++i) chosen.push_back((mask >> i & 1) != 0);
    std::vector<Item> order{0, 1, 2, 3};
    do {
      if (std::ranges::all_of(clauses, [&](const Clause& c) { return c.holds(order, chosen); }))
        return true;
    } while (std::ranges::next_permutation(order).found);
  }
  return false;
}

TEST(OrderSolver, agrees_with_enumeration) {
  std::mt19937 random(5);
  size_t solvable = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<Clause> clauses(4 + random() % 14);
    OrderSolver solver(4);
    for (Clause& clause : clauses) {
      std::vector<Literal> literals;
      for (size_t i = 0; i < 1 + random() % 2; ++i) {
        const Item a = random() % 4, b = (a + 1 + random() % 3) % 4;
        const int kind = static_cast<int>(random() % 3);
        clause.parts.push_back({kind, a, b});
        literals.push_back(kind == 0   ? Literal::chosen(a)
                           : kind == 1 ? Literal::not_chosen(a)
                                       : Literal::before(a, b));
      }
      solver.require_one_of(literals);
    }
    const bool expected = is_solvable(clauses);
    solvable += expected;
    ASSERT_EQ(solver.solve(1'000'000),
              expected ? SolverOutcome::solved : SolverOutcome::unsolvable);
  }
  EXPECT_GT(solvable, 50u);
  EXPECT_LT(solvable, 250u);
}

}  // namespace
}  // namespace foretell::smt
