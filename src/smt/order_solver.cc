#include "smt/order_solver.h"

#include <z3++.h>

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace foretell {

struct OrderSolver::Z3 {
  Z3() : solver(context, "QF_IDL"), places(context), choices(context), booleans(context) {}

  z3::context context;
  z3::solver solver;
  z3::expr_vector places, choices;  // by item
  z3::expr_vector booleans;
};

OrderSolver::OrderSolver(size_t items) : z3_(std::make_unique<Z3>()) {
  for (size_t i = 0; i < items; ++i) {
    const std::string number = std::to_string(i);
    z3_->places.push_back(z3_->context.int_const(("t" + number).c_str()));
    z3_->choices.push_back(z3_->context.bool_const(("c" + number).c_str()));
  }
}

OrderSolver::~OrderSolver() = default;

OrderSolver::Literal OrderSolver::fresh() {
  const auto number = static_cast<Item>(z3_->booleans.size());
  z3_->booleans.push_back(z3_->context.bool_const(("b" + std::to_string(number)).c_str()));
  return {Literal::Kind::yes, number, 0};
}

void OrderSolver::require_one_of(std::span<const Literal> literals) {
  auto expression = [&](const Literal& l) {
    const int first = static_cast<int>(l.first_), second = static_cast<int>(l.second_);
    switch (l.kind_) {
      case Literal::Kind::chosen:
        return z3_->choices[first];
      case Literal::Kind::not_chosen:
        return !z3_->choices[first];
      case Literal::Kind::before:
        return z3_->places[first] - z3_->places[second] <= -1;
      case Literal::Kind::yes:
        return z3_->booleans[first];
      case Literal::Kind::no:
        return !z3_->booleans[first];
    }
    CHECK(false);
    return z3_->context.bool_val(true);
  };
  z3::expr_vector any(z3_->context);
  for (const Literal& literal : literals) any.push_back(expression(literal));
  z3_->solver.add(z3::mk_or(any));
}

SolverOutcome OrderSolver::solve(uint32_t effort) {
  try {
    z3::params params(z3_->context);
    params.set("rlimit", effort);
    z3_->solver.set(params);
    const z3::check_result result = z3_->solver.check();
    if (result == z3::unsat) return SolverOutcome::unsolvable;
    if (result == z3::unknown) return SolverOutcome::gave_up;
    const z3::model model = z3_->solver.get_model();
    std::vector<std::pair<int64_t, Item>> chosen;
    for (Item item = 0; item < z3_->places.size(); ++item) {
      const int i = static_cast<int>(item);
      if (!model.eval(z3_->choices[i], true).is_true()) continue;
      chosen.emplace_back(model.eval(z3_->places[i], true).get_numeral_int64(), item);
    }
    std::ranges::sort(chosen);
    order_.clear();
    for (const auto& [place, item] : chosen) order_.push_back(item);
    return SolverOutcome::solved;
  } catch (const z3::exception&) {
    // Out of memory, or a limit that Z3 reports this way.
    return SolverOutcome::gave_up;
  }
}

}  // namespace foretell
