// SPDX-License-Identifier: Apache-2.0

#include "symbolic/schedules/expr_json.h"

#include <array>

namespace foretell::symbolic {

using nlohmann::json;
using smt::Expr;
using smt::ExprKind;

size_t ExprWriter::add(Expr expression) {
  smt::visit_unknown(
      expression, [&](Expr part) { return known_.contains(part); },
      [&](Expr part) {
        json node = json::array(
            {std::string(smt::name_of(part.kind())), part.is_boolean() ? 0 : part.width()});
        for (Expr operand : part.operands()) node.push_back(known_.at(operand));
        if (part.is_constant()) node.push_back(part.value().low());
        if (part.kind() == ExprKind::variable) node.push_back(std::string(part.name()));
        if (part.kind() == ExprKind::extract) node.push_back(part.low());
        known_[part] = nodes_.size();
        nodes_.push_back(std::move(node));
      });
  return known_.at(expression);
}

namespace {

constexpr ExprKind kAllKinds[] = {
#define EXPR(name, smtlib, text) ExprKind::name,
#include "smt/expr.def"
#undef EXPR
};

std::optional<ExprKind> kind_of(const std::string& name) {
  for (ExprKind kind : kAllKinds)
    if (smt::name_of(kind) == name) return kind;
  return {};
}

// Of kinds with operands only.
std::optional<Expr> make(smt::ExprContext& c, ExprKind kind, uint32_t width, uint32_t low,
                         const std::vector<Expr>& o) {
  const auto has = [&](size_t count) { return o.size() == count; };
  switch (kind) {
    case ExprKind::negation:
      if (has(1)) return c.negation(o[0]);
      break;
    case ExprKind::complement:
      if (has(1)) return c.complement(o[0]);
      break;
    case ExprKind::add:
      if (has(2)) return c.add(o[0], o[1]);
      break;
    case ExprKind::subtract:
      if (has(2)) return c.subtract(o[0], o[1]);
      break;
    case ExprKind::multiply:
      if (has(2)) return c.multiply(o[0], o[1]);
      break;
    case ExprKind::udiv:
      if (has(2)) return c.udiv(o[0], o[1]);
      break;
    case ExprKind::urem:
      if (has(2)) return c.urem(o[0], o[1]);
      break;
    case ExprKind::sdiv:
      if (has(2)) return c.sdiv(o[0], o[1]);
      break;
    case ExprKind::srem:
      if (has(2)) return c.srem(o[0], o[1]);
      break;
    case ExprKind::bit_and:
      if (has(2)) return c.bit_and(o[0], o[1]);
      break;
    case ExprKind::bit_or:
      if (has(2)) return c.bit_or(o[0], o[1]);
      break;
    case ExprKind::bit_xor:
      if (has(2)) return c.bit_xor(o[0], o[1]);
      break;
    case ExprKind::shl:
      if (has(2)) return c.shl(o[0], o[1]);
      break;
    case ExprKind::lshr:
      if (has(2)) return c.lshr(o[0], o[1]);
      break;
    case ExprKind::ashr:
      if (has(2)) return c.ashr(o[0], o[1]);
      break;
    case ExprKind::concat:
      if (has(2)) return c.concat(o[0], o[1]);
      break;
    case ExprKind::extract:
      if (has(1)) return c.extract(o[0], low, width);
      break;
    case ExprKind::zero_extend:
      if (has(1)) return c.zero_extend(o[0], width);
      break;
    case ExprKind::sign_extend:
      if (has(1)) return c.sign_extend(o[0], width);
      break;
    case ExprKind::ult:
      if (has(2)) return c.ult(o[0], o[1]);
      break;
    case ExprKind::slt:
      if (has(2)) return c.slt(o[0], o[1]);
      break;
    case ExprKind::equal:
      if (has(2)) return c.equal(o[0], o[1]);
      break;
    case ExprKind::logical_not:
      if (has(1)) return c.logical_not(o[0]);
      break;
    case ExprKind::logical_and:
      return c.logical_and(o);
    case ExprKind::logical_or:
      return c.logical_or(o);
    case ExprKind::ite:
      if (has(3)) return c.ite(o[0], o[1], o[2]);
      break;
    case ExprKind::variable:
    case ExprKind::constant:
    case ExprKind::before:
    case ExprKind::constant_array:
    case ExprKind::select:
    case ExprKind::store:
      break;
  }
  return {};
}

std::optional<Expr> read_one(const json& node, const std::vector<Expr>& known,
                             smt::ExprContext& context) {
  if (!node.is_array() || node.size() < 2 || !node[0].is_string() || !node[1].is_number_unsigned())
    return {};
  const auto kind = kind_of(node[0].get<std::string>());
  const auto width = node[1].get<uint32_t>();
  if (!kind) return {};
  if (*kind == ExprKind::variable) {
    if (node.size() != 3 || !node[2].is_string() || width == 0) return {};
    return context.variable(node[2].get<std::string>(), smt::Sort::bits(width));
  }
  if (*kind == ExprKind::constant) {
    if (node.size() != 3 || !node[2].is_number_unsigned()) return {};
    const auto value = node[2].get<uint64_t>();
    return width == 0 ? context.boolean(value != 0) : context.constant(width, value);
  }
  const size_t end = node.size() - (*kind == ExprKind::extract ? 1 : 0);
  std::vector<Expr> operands;
  for (size_t i = 2; i < end; i++) {
    if (!node[i].is_number_unsigned() || node[i].get<size_t>() >= known.size()) return {};
    operands.push_back(known[node[i].get<size_t>()]);
  }
  const uint32_t low = *kind == ExprKind::extract && node.back().is_number_unsigned()
                           ? node.back().get<uint32_t>()
                           : 0;
  return make(context, *kind, width, low, operands);
}

}  // namespace

std::optional<std::vector<Expr>> read_expressions(const json& nodes, smt::ExprContext& context) {
  std::vector<Expr> all;
  for (const json& node : nodes) {
    const auto one = read_one(node, all, context);
    if (!one) return {};
    all.push_back(*one);
  }
  return all;
}

}  // namespace foretell::symbolic
