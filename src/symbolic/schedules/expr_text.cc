// SPDX-License-Identifier: Apache-2.0

#include "symbolic/schedules/expr_text.h"

#include <fmt/format.h>

#include "symbolic/executor/value.h"

namespace foretell::symbolic {
namespace {

using smt::Expr;
using smt::ExprKind;

class Printer {
 public:
  explicit Printer(size_t most) : most_(most) {}

  void print(Expr e, bool is_signed, bool in_parentheses);
  std::string take() && {
    if (is_cut_) text_ += "...";
    return std::move(text_);
  }

 private:
  void binary(Expr e, std::string_view sign, bool is_signed, bool in_parentheses,
              bool swaps = false) {
    if (in_parentheses) add("(");
    print(e.operand(swaps ? 1 : 0), is_signed, true);
    add(fmt::format(" {} ", sign));
    print(e.operand(swaps ? 0 : 1), is_signed, true);
    if (in_parentheses) add(")");
  }
  void comparison(Expr e, bool negated, bool in_parentheses);
  void negation(Expr e, bool in_parentheses);
  void several(Expr e, std::string_view sign, bool in_parentheses);
  void add(std::string_view part) {
    is_cut_ |= text_.size() > most_;
    if (!is_cut_) text_ += part;
  }

  const size_t most_;
  bool is_cut_ = false;
  std::string text_;
};

void Printer::comparison(Expr e, bool negated, bool in_parentheses) {
  // Constants come first in normal form; people write them last.
  const bool swaps = e.operand(0).is_constant();
  if (e.kind() == ExprKind::equal) {
    binary(e, negated ? "!=" : "==", true, in_parentheses, swaps);
    return;
  }
  const bool is_signed = e.kind() == ExprKind::slt;
  const std::string_view sign = negated ? (swaps ? "<=" : ">=") : (swaps ? ">" : "<");
  if (!is_signed) add("(unsigned)");
  binary(e, sign, is_signed, in_parentheses || !is_signed, swaps);
}

void Printer::negation(Expr e, bool in_parentheses) {
  const Expr inner = e.operand(0);
  if (inner.kind() == ExprKind::equal || inner.kind() == ExprKind::slt ||
      inner.kind() == ExprKind::ult) {
    comparison(inner, true, in_parentheses);
    return;
  }
  add("!");
  print(inner, true, true);
}

void Printer::several(Expr e, std::string_view sign, bool in_parentheses) {
  if (in_parentheses) add("(");
  for (size_t i = 0; i < e.operands().size(); i++) {
    if (i > 0) add(fmt::format(" {} ", sign));
    print(e.operand(i), true, true);
  }
  if (in_parentheses) add(")");
}

void Printer::print(Expr e, bool is_signed, bool in_parentheses) {
  if (is_cut_) return;
  switch (e.kind()) {
    case ExprKind::variable:
      add(e.name());
      return;
    case ExprKind::constant:
      if (e.is_boolean())
        add(e.is_true() ? "1" : "0");
      else if (is_signed)
        add(fmt::format("{}", signed_of(e.value().low(), e.width())));
      else
        add(fmt::format("{}u", e.value().low()));
      return;
    case ExprKind::equal:
    case ExprKind::slt:
    case ExprKind::ult:
      comparison(e, false, in_parentheses);
      return;
    case ExprKind::logical_not:
      negation(e, in_parentheses);
      return;
    case ExprKind::logical_and:
      several(e, "&&", in_parentheses);
      return;
    case ExprKind::logical_or:
      several(e, "||", in_parentheses);
      return;
    case ExprKind::ite:
      add("(");
      print(e.operand(0), true, true);
      add(" ? ");
      print(e.operand(1), is_signed, true);
      add(" : ");
      print(e.operand(2), is_signed, true);
      add(")");
      return;
    case ExprKind::negation:
    case ExprKind::complement:
      add(e.kind() == ExprKind::negation ? "-" : "~");
      print(e.operand(0), is_signed, true);
      return;
    case ExprKind::zero_extend:
    case ExprKind::sign_extend:
      add(fmt::format("({}int{}_t)", e.kind() == ExprKind::zero_extend ? "u" : "",
                      e.operand(0).width()));
      print(e.operand(0), e.kind() == ExprKind::sign_extend, true);
      return;
    case ExprKind::extract:
      add("(");
      print(e.operand(0), false, true);
      add(fmt::format(" >> {} & {:#x})", e.low(), mask_of(e.width())));
      return;
    case ExprKind::udiv:
      binary(e, "/", false, in_parentheses);
      return;
    case ExprKind::urem:
      binary(e, "%", false, in_parentheses);
      return;
    case ExprKind::sdiv:
      binary(e, "/", true, in_parentheses);
      return;
    case ExprKind::srem:
      binary(e, "%", true, in_parentheses);
      return;
    case ExprKind::lshr:
    case ExprKind::ashr:
      binary(e, ">>", e.kind() == ExprKind::ashr, in_parentheses);
      return;
    case ExprKind::add:
    case ExprKind::subtract:
    case ExprKind::multiply:
    case ExprKind::bit_and:
    case ExprKind::bit_or:
    case ExprKind::bit_xor:
    case ExprKind::shl:
    case ExprKind::concat:
    case ExprKind::before:
    case ExprKind::constant_array:
    case ExprKind::select:
    case ExprKind::store:
      if (e.operands().size() == 2) {
        binary(e, smt::text_operator(e.kind()), is_signed, in_parentheses,
               e.operand(0).is_constant() && e.kind() != ExprKind::subtract &&
                   e.kind() != ExprKind::shl && e.kind() != ExprKind::concat);
      } else {
        add(smt::name_of(e.kind()));
      }
  }
}

}  // namespace

std::string c_text(Expr expression, size_t most) {
  Printer printer(most);
  printer.print(expression, true, false);
  return std::move(printer).take();
}

std::string c_text(const std::vector<Expr>& conditions, size_t most) {
  if (conditions.empty()) return "always";
  std::string text;
  for (const Expr condition : conditions) {
    if (text.size() > most) return text + " && ...";
    const bool is_or = condition.kind() == ExprKind::logical_or && conditions.size() > 1;
    const std::string one = c_text(condition, most);
    text += (text.empty() ? "" : " && ") + (is_or ? "(" + one + ")" : one);
  }
  return text;
}

}  // namespace foretell::symbolic
