#include "smt/z3_translation.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/check.h"

namespace foretell::smt {
namespace {

// The variables that a load from each array expression may end at.
class ArrayRoots {
 public:
  void add(Expr array) {
    std::vector<Expr> roots;
    if (array.kind() == ExprKind::variable) roots.push_back(array);
    if (array.kind() == ExprKind::store) roots = of(array.operand(0));
    if (array.kind() == ExprKind::ite) {
      roots = of(array.operand(1));
      for (Expr root : of(array.operand(2))) {
        if (std::ranges::find(roots, root) == roots.end()) roots.push_back(root);
      }
    }
    roots_.emplace(array, std::move(roots));
  }
  const std::vector<Expr>& of(Expr array) const { return roots_.at(array); }

 private:
  absl::flat_hash_map<Expr, std::vector<Expr>> roots_;
};

}  // namespace

z3::expr Z3Translation::translate(Expr e) {
  visit_unknown(
      e, [&](Expr part) { return done_.contains(part); },
      [&](Expr part) { done_.emplace(part, translate_node(part)); });
  return done_.at(e);
}

z3::sort Z3Translation::sort_of(Sort sort) {
  switch (sort.kind) {
    case SortKind::boolean:
      return context_.bool_sort();
    case SortKind::bits:
      return context_.bv_sort(sort.width);
    case SortKind::array:
      return context_.array_sort(context_.bv_sort(sort.index_width), context_.bv_sort(sort.width));
    case SortKind::place:
      return context_.int_sort();
  }
  CHECK(false);
  return context_.bool_sort();
}

z3::expr Z3Translation::variable(Expr e) {
  return context_.constant(std::string(e.name()).c_str(), sort_of(e.sort()));
}

z3::expr Z3Translation::constant(Expr e) {
  const Bits& value = e.value();
  if (e.is_boolean()) return context_.bool_val(value.is_true());
  if (e.width() <= 64) return context_.bv_val(value.low(), e.width());
  const auto bits = std::make_unique<bool[]>(e.width());
  for (uint32_t i = 0; i < e.width(); ++i) bits[i] = value.bit(i);
  return context_.bv_val(e.width(), bits.get());
}

z3::expr Z3Translation::translate_node(Expr e) {
  auto operand = [&](size_t i) -> z3::expr { return done_.at(e.operand(i)); };
  auto all = [&] {
    z3::expr_vector operands(context_);
    for (Expr o : e.operands()) operands.push_back(done_.at(o));
    return operands;
  };
  switch (e.kind()) {
    case ExprKind::variable:
      return variable(e);
    case ExprKind::constant:
      return constant(e);
    case ExprKind::negation:
      return -operand(0);
    case ExprKind::complement:
      return ~operand(0);
    case ExprKind::add:
      return operand(0) + operand(1);
    case ExprKind::subtract:
      return operand(0) - operand(1);
    case ExprKind::multiply:
      return operand(0) * operand(1);
    case ExprKind::udiv:
      return z3::udiv(operand(0), operand(1));
    case ExprKind::urem:
      return z3::urem(operand(0), operand(1));
    case ExprKind::sdiv:
      return operand(0) / operand(1);
    case ExprKind::srem:
      return z3::srem(operand(0), operand(1));
    case ExprKind::bit_and:
      return operand(0) & operand(1);
    case ExprKind::bit_or:
      return operand(0) | operand(1);
    case ExprKind::bit_xor:
      return operand(0) ^ operand(1);
    case ExprKind::shl:
      return z3::shl(operand(0), operand(1));
    case ExprKind::lshr:
      return z3::lshr(operand(0), operand(1));
    case ExprKind::ashr:
      return z3::ashr(operand(0), operand(1));
    case ExprKind::concat:
      return z3::concat(operand(0), operand(1));
    case ExprKind::extract:
      return operand(0).extract(e.low() + e.width() - 1, e.low());
    case ExprKind::zero_extend:
      return z3::zext(operand(0), e.width() - e.operand(0).width());
    case ExprKind::sign_extend:
      return z3::sext(operand(0), e.width() - e.operand(0).width());
    case ExprKind::ult:
      return z3::ult(operand(0), operand(1));
    case ExprKind::slt:
      return z3::slt(operand(0), operand(1));
    case ExprKind::equal:
      return operand(0) == operand(1);
    case ExprKind::before:
      // The form of difference logic.
      return operand(0) - operand(1) <= -1;
    case ExprKind::logical_not:
      return !operand(0);
    case ExprKind::logical_and:
      return z3::mk_and(all());
    case ExprKind::logical_or:
      return z3::mk_or(all());
    case ExprKind::ite:
      return z3::ite(operand(0), operand(1), operand(2));
    case ExprKind::constant_array:
      return z3::const_array(context_.bv_sort(e.sort().index_width), operand(0));
    case ExprKind::select:
      return z3::select(operand(0), operand(1));
    case ExprKind::store:
      return z3::store(operand(0), operand(1), operand(2));
  }
  CHECK(false);
  return context_.bool_val(false);
}

Bits Z3Translation::bits_of(const z3::model& model, const z3::expr& e, Sort sort) {
  if (sort.kind == SortKind::boolean) return Bits::of(model.eval(e, true).is_true());
  if (sort.width <= 64) return Bits(sort.width, model.eval(e, true).get_numeral_uint64());
  Bits value(sort.width);
  for (uint32_t low = 0; low < sort.width; low += 64) {
    const uint32_t high = std::min(low + 63, sort.width - 1);
    value.mutable_word(low / 64) = model.eval(e.extract(high, low), true).get_numeral_uint64();
  }
  return value;
}

Model Z3Translation::model_of(const z3::model& model, std::span<const Expr> constraints) {
  Model result;
  ArrayRoots roots;
  absl::flat_hash_map<Expr, ArrayValue> arrays;
  for (Expr e : post_order(constraints)) {
    if (e.is_array()) roots.add(e);
    if (e.kind() == ExprKind::select) {
      const Sort index_sort = e.operand(1).sort();
      const Bits index = bits_of(model, done_.at(e.operand(1)), index_sort);
      for (Expr root : roots.of(e.operand(0))) {
        auto& array = arrays.try_emplace(root, ArrayValue{Bits(root.width()), {}}).first->second;
        if (array.elements.contains(index)) continue;
        const z3::expr element =
            z3::select(done_.at(root), model.eval(done_.at(e.operand(1)), true));
        array.elements.emplace(index, bits_of(model, element, e.sort()));
      }
    }
    if (e.kind() != ExprKind::variable || e.is_array()) continue;
    if (e.sort().kind == SortKind::place) {
      result.set(e, Place{model.eval(done_.at(e), true).get_numeral_int64()});
    } else {
      result.set(e, bits_of(model, done_.at(e), e.sort()));
    }
  }
  for (auto& [variable, value] : arrays) result.set(variable, std::move(value));
  return result;
}

}  // namespace foretell::smt
