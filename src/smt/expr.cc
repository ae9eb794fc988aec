#include "smt/expr.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <array>

namespace foretell::smt {
namespace {

struct ExprWords {
  std::string_view name, smtlib, text;
};

constexpr std::array kWords = {
#define EXPR(name, smtlib, text) ExprWords{#name, smtlib, text},
#include "smt/expr.def"
#undef EXPR
};

}  // namespace

std::string_view name_of(ExprKind kind) {
  return kWords[static_cast<size_t>(kind)].name;
}

std::string_view smtlib_operator(ExprKind kind) {
  return kWords[static_cast<size_t>(kind)].smtlib;
}

std::string_view text_operator(ExprKind kind) {
  return kWords[static_cast<size_t>(kind)].text;
}

SortsUsed sorts_used(std::span<const Expr> roots) {
  SortsUsed sorts;
  for (Expr root : roots) sorts.add(root.sorts_used());
  return sorts;
}

std::string_view logic_of(SortsUsed sorts) {
  if (sorts.places) return sorts.bits || sorts.arrays ? "ALL" : "QF_IDL";
  return sorts.arrays ? "QF_ABV" : "QF_BV";
}

bool structurally_before(Expr a, Expr b) {
  if (a == b) return false;
  if (a.structural_hash() != b.structural_hash()) return a.structural_hash() < b.structural_hash();
  // Two structures with one hash: nobody has seen a pair. The ids order it within a context.
  return a.id() < b.id();
}

std::vector<Expr> post_order(std::span<const Expr> roots) {
  std::vector<Expr> order;
  absl::flat_hash_set<Expr> done;
  for (Expr root : roots) {
    visit_unknown(
        root, [&](Expr e) { return done.contains(e); },
        [&](Expr e) {
          done.insert(e);
          order.push_back(e);
        });
  }
  return order;
}

std::vector<Expr> variables_of(std::span<const Expr> roots) {
  std::vector<Expr> variables = post_order(roots);
  std::erase_if(variables, [](Expr e) { return e.kind() != ExprKind::variable; });
  return variables;
}

}  // namespace foretell::smt
