// SPDX-License-Identifier: Apache-2.0

#include "smt/logging_solver.h"

#include <gtest/gtest.h>
#include <z3++.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "smt/smtlib.h"
#include "smt/solver_chain.h"
#include "unit/smt/random_expr.h"

namespace foretell::smt {
namespace {

namespace fs = std::filesystem;

std::string read_all(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

OutcomeKind solve_again(const std::string& script) {
  z3::context context;
  z3::solver solver(context);
  solver.from_string(script.c_str());
  switch (solver.check()) {
    case z3::sat:
      return OutcomeKind::sat;
    case z3::unsat:
      return OutcomeKind::unsat;
    case z3::unknown:
      break;
  }
  return OutcomeKind::unknown;
}

class Logging : public testing::Test {
 protected:
  Logging() { fs::remove_all(directory_); }
  ~Logging() override { fs::remove_all(directory_); }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(directory_)) found.push_back(entry.path());
    std::ranges::sort(found);
    return found;
  }
  const fs::path directory_ =
      fs::path(testing::TempDir()) /
      (std::string("smt_log_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(Logging, files_solve_to_the_outcome_they_name) {
  ExprContext c;
  RandomExprs random(c, 7, 1, {1, 4, 8});
  auto chain = SolverChain::create(
      {.independence = false, .cache = false, .log_directory = directory_, .z3 = Z3Use::fresh});
  ASSERT_TRUE(chain.has_value());
  for (int i = 0; i < 80; ++i) {
    (*chain)->check({"query | number \\ " + std::to_string(i),
                     {random.condition(2).expr, random.condition(3).expr}});
  }
  EXPECT_FALSE((*chain)->log_failure().has_value());
  size_t sat = 0, unsat = 0;
  for (const fs::path& path : files()) {
    const std::string text = read_all(path);
    const OutcomeKind outcome = solve_again(text);
    ++(outcome == OutcomeKind::sat ? sat : unsat);
    EXPECT_TRUE(text.ends_with("; outcome: " + std::string(name_of(outcome)) + "\n"))
        << path << text;
  }
  EXPECT_EQ(files().size(), 80u);
  EXPECT_EQ(files()[0].filename(), "000001-query___number___0.smt2");
  EXPECT_GT(sat, 5u);
  EXPECT_GT(unsat, 5u);
}

// Looks at the log while it is asked.
class WatchingSolver : public Solver {
 public:
  explicit WatchingSolver(fs::path file) : file_(std::move(file)) {}
  Outcome check(const Query&) override {
    seen = read_all(file_);
    return Outcome::timeout("steps");
  }
  std::string seen;

 private:
  fs::path file_;
};

TEST_F(Logging, the_query_is_on_disk_before_it_is_asked) {
  ExprContext c;
  fs::create_directories(directory_);
  const fs::path file = directory_ / "000001-p.smt2";
  WatchingSolver watching(file);
  LoggingSolver log(watching, directory_);
  log.check({"p", {c.variable("p", Sort::boolean())}});
  EXPECT_EQ(watching.seen,
            "(set-logic QF_BV)\n(set-info :source |p|)\n(declare-const |p| Bool)\n(assert "
            "|p|)\n(check-sat)\n");
  EXPECT_TRUE(read_all(file).ends_with("(check-sat)\n; outcome: timeout: steps\n"));
}

TEST_F(Logging, a_log_that_cannot_be_written_is_told_and_changes_no_answer) {
  ExprContext c;
  Z3Solver z3(Z3Use::fresh);
  LoggingSolver log(z3, directory_ / "missing");
  EXPECT_EQ(log.check({"p", {c.variable("p", Sort::boolean())}}).kind, OutcomeKind::sat);
  EXPECT_TRUE(log.failure().has_value());
  std::ofstream(directory_) << "a file";
  EXPECT_FALSE(SolverChain::create({.log_directory = directory_}).has_value());
}

TEST(Smtlib, shared_parts_are_defined_once) {
  ExprContext c;
  const Expr x = c.variable("x", Sort::bits(8)), product = c.multiply(x, x);
  const std::string text = to_smtlib(Query{"p", {c.ult(product, c.add(product, x))}});
  EXPECT_EQ(text,
            "(set-logic QF_BV)\n(set-info :source |p|)\n(declare-const |x| (_ BitVec 8))\n"
            "(define-fun |e%0| () (_ BitVec 8) (bvmul |x| |x|))\n"
            "(assert (bvult |e%0| (bvadd |x| |e%0|)))\n(check-sat)\n");
}

TEST(Smtlib, different_names_stay_different) {
  ExprContext c;
  const Expr a = c.variable("a|b", Sort::bits(8)), b = c.variable("a%7cb", Sort::bits(8));
  const std::string text = to_smtlib(Query{"p", {c.ult(a, b)}});
  EXPECT_NE(text.find("(declare-const |a%7cb|"), std::string::npos);
  EXPECT_NE(text.find("(declare-const |a%257cb|"), std::string::npos);
  EXPECT_EQ(solve_again(text), OutcomeKind::sat);
}

TEST(Smtlib, long_chains_are_not_nested_deeply) {
  ExprContext c;
  Expr sum = c.variable("x", Sort::bits(8));
  const Expr y = c.variable("y", Sort::bits(8));
  for (int i = 0; i < 5'000; ++i) sum = c.bit_xor(c.multiply(c.constant(8, 3), sum), y);
  int depth = 0, deepest = 0;
  for (char letter : to_smtlib(Query{"deep", {c.ult(sum, y)}})) {
    depth += letter == '(' ? 1 : letter == ')' ? -1 : 0;
    deepest = std::max(deepest, depth);
  }
  EXPECT_EQ(depth, 0);
  EXPECT_LT(deepest, 50);
}

}  // namespace
}  // namespace foretell::smt
