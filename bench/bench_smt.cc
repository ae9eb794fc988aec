// Speed of the solver chain on queries as a search along paths asks them, and of the order solver.
//
//   build/release/bin/bench_smt
//
// A path has 40 branches over eight input words and a buffer; at each branch both sides are asked
// for, and one that is possible is followed. Twelve paths are run: each repeats an earlier one up
// to some branch and takes the other side there. items_per_second is queries per second.
#include <benchmark/benchmark.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "smt/expr_context.h"
#include "smt/order_solver.h"
#include "smt/solver_chain.h"

namespace foretell::smt {
namespace {

constexpr int kPaths = 12, kBranches = 40;

// The condition of the branch at a depth: the same whenever a path comes by.
class Program {
 public:
  Expr condition(uint32_t depth) {
    std::mt19937 random(depth);
    const Expr a = word(random() % 8), b = word(random() % 8);
    const Expr number = context_.constant(32, random() % 1000);
    switch (random() % 5) {
      case 0:
        return context_.slt(context_.add(a, number), b);
      case 1:
        return context_.equal(context_.bit_and(a, context_.constant(32, 7)),
                              context_.constant(32, random() % 8));
      case 2:
        return context_.ult(context_.multiply(context_.constant(32, 3), a),
                            context_.bit_xor(b, number));
      case 3:
        return context_.equal(context_.zero_extend(context_.select(buffer_, a), 32),
                              context_.extract(context_.concat(a, b), random() % 32, 32));
      default:
        return context_.ult(a, number);
    }
  }
  ExprContext& context() { return context_; }

 private:
  Expr word(uint32_t i) { return context_.variable("in" + std::to_string(i), Sort::bits(32)); }
  ExprContext context_;
  Expr buffer_ = context_.variable("buffer", Sort::array(32, 8));
};

// Which queries are asked depends on their outcomes alone, so every solver gets the same ones.
size_t search(Program& program, Solver& solver) {
  std::mt19937 random(1);
  std::vector<std::vector<Expr>> paths(1);
  size_t queries = 0;
  for (int p = 0; p < kPaths; ++p) {
    const std::vector<Expr>& earlier = paths[random() % paths.size()];
    std::vector<Expr> path(earlier.begin(),
                           earlier.begin() + static_cast<long>(random() % (earlier.size() + 1)));
    while (path.size() < kBranches) {
      const Expr condition = program.condition(static_cast<uint32_t>(path.size()));
      Query query{"branch", path, ModelWanted::none, StepLimit{2'000'000}};
      query.constraints.push_back(condition);
      const bool can_hold = solver.check(query).kind == OutcomeKind::sat;
      query.constraints.back() = program.context().logical_not(condition);
      const bool can_fail = solver.check(query).kind == OutcomeKind::sat;
      queries += 2;
      const bool takes = can_hold && (!can_fail || random() % 2 == 0);
      path.push_back(takes ? condition : query.constraints.back());
    }
    paths.push_back(std::move(path));
  }
  return queries;
}

void run_paths(benchmark::State& state, const ChainOptions& options) {
  size_t queries = 0;
  std::string statistics;
  for (auto _ : state) {
    Program program;
    auto chain = std::move(SolverChain::create(options)).value();
    queries += search(program, *chain);
    statistics =
        chain->statistics().back().layer + " " + std::to_string(chain->statistics().back().queries);
  }
  state.SetItemsProcessed(static_cast<int64_t>(queries));
  state.SetLabel(statistics);
}

void paths_fresh(benchmark::State& state) {
  run_paths(state,
            {.validate_models = false, .independence = false, .cache = false, .z3 = Z3Use::fresh});
}
void paths_incremental(benchmark::State& state) {
  run_paths(state, {.validate_models = false, .independence = false, .cache = false});
}
void paths_cached(benchmark::State& state) {
  run_paths(state, {.validate_models = false, .independence = false, .cache = true});
}
// A model is asked for with each sat, so the cache has more to try.
void paths_cached_validated(benchmark::State& state) {
  run_paths(state, {.validate_models = true, .independence = false, .cache = true});
}
void paths_independent_cached_validated(benchmark::State& state) {
  run_paths(state, {.validate_models = true, .independence = true, .cache = true});
}
BENCHMARK(paths_fresh)->Unit(benchmark::kMillisecond);
BENCHMARK(paths_incremental)->Unit(benchmark::kMillisecond);
BENCHMARK(paths_cached)->Unit(benchmark::kMillisecond);
BENCHMARK(paths_cached_validated)->Unit(benchmark::kMillisecond);
BENCHMARK(paths_independent_cached_validated)->Unit(benchmark::kMillisecond);

// Four threads of ten events with sections on three locks, as smt_search asks.
void order(benchmark::State& state) {
  using Literal = OrderSolver::Literal;
  using Item = OrderSolver::Item;
  constexpr Item kThreads = 4, kEvents = 10, kLocks = 3;
  for (auto _ : state) {
    OrderSolver solver(kThreads * kEvents);
    const auto require = [&](std::initializer_list<Literal> clause) {
      solver.require_one_of(std::span(clause.begin(), clause.size()));
    };
    for (Item i = 0; i < kThreads * kEvents; ++i) {
      if (i % kEvents == 0) continue;
      require({Literal::not_chosen(i), Literal::chosen(i - 1)});
      require({Literal::before(i - 1, i)});
    }
    for (Item a = 0; a < kThreads; ++a) {
      for (Item b = 0; b < a; ++b) {
        for (Item lock = 0; lock < kLocks; ++lock) {
          const Item begin_a = a * kEvents + 3 * ((lock + a) % kLocks), end_a = begin_a + 2;
          const Item begin_b = b * kEvents + 3 * ((lock + b) % kLocks), end_b = begin_b + 2;
          require({Literal::not_chosen(begin_a), Literal::not_chosen(begin_b),
                   Literal::before(end_a, begin_b), Literal::before(end_b, begin_a)});
        }
      }
      require({Literal::chosen(a * kEvents + kEvents - 1)});
    }
    if (solver.solve(20'000'000) == SolverOutcome::gave_up) state.SkipWithError("gave up");
  }
}
BENCHMARK(order)->Unit(benchmark::kMillisecond);

void evaluate(benchmark::State& state) {
  Program program;
  std::vector<Expr> path;
  for (uint32_t i = 0; i < kBranches; ++i) path.push_back(program.condition(i));
  Model model;
  for (auto _ : state) {
    Evaluator evaluator(model);
    for (Expr e : path) benchmark::DoNotOptimize(evaluator.value_of(e));
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * post_order(path).size()));
}
BENCHMARK(evaluate);

}  // namespace
}  // namespace foretell::smt
