// SPDX-License-Identifier: Apache-2.0

#include "smt/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "smt/operators.h"

namespace foretell::smt {
namespace {

std::string value_text(const Value& value) {
  if (const auto* bits = std::get_if<Bits>(&value)) return to_text(*bits);
  if (const auto* place = std::get_if<Place>(&value)) {
    return fmt::format("{}", static_cast<int64_t>(*place));
  }
  const auto& array = std::get<ArrayValue>(value);
  std::string text = "[";
  for (const auto& [index, element] : array.elements) {
    text += fmt::format("{}: {}, ", to_text(index), to_text(element));
  }
  return text + fmt::format("else: {}]", to_text(array.elsewhere));
}

}  // namespace

const Bits& ArrayValue::at(const Bits& index) const {
  auto found = elements.find(index);
  return found == elements.end() ? elsewhere : found->second;
}

void Model::set(Expr variable, Value value) {
  CHECK(variable.kind() == ExprKind::variable);
  values_.insert_or_assign(variable, std::move(value));
}

const Value* Model::find(Expr variable) const {
  auto found = values_.find(variable);
  return found == values_.end() ? nullptr : &found->second;
}

Value Model::value_of(Expr variable) const {
  if (const Value* value = find(variable)) return *value;
  switch (variable.sort().kind) {
    case SortKind::boolean:
    case SortKind::bits:
      return Bits(variable.width());
    case SortKind::array:
      return ArrayValue{Bits(variable.width()), {}};
    case SortKind::place:
      return Place{};
  }
  CHECK(false);
  return Place{};
}

void Model::merge(const Model& other) {
  for (const auto& [variable, value] : other.values_) {
    CHECK(values_.emplace(variable, value).second);
  }
}

std::string Model::to_text() const {
  std::vector<std::string> lines;
  for (const auto& [variable, value] : values_) {
    lines.push_back(fmt::format("{} = {}", variable.name(), value_text(value)));
  }
  std::ranges::sort(lines);
  return fmt::format("{}", fmt::join(lines, ", "));
}

Bits Evaluator::value_of(Expr e) {
  CHECK(e.is_boolean() || e.is_bits());
  visit_unknown(
      e, [&](Expr part) { return known_.contains(part); },
      [&](Expr part) {
        // Arrays and places have no Bits; a mark keeps them from being entered twice.
        known_.emplace(part, part.is_boolean() || part.is_bits() ? compute(part) : Bits(1));
      });
  return known_.at(e);
}

bool Evaluator::all_true(std::span<const Expr> conditions) {
  return std::ranges::all_of(conditions, [&](Expr e) { return is_true(e); });
}

Bits Evaluator::compute(Expr e) {
  if (e.kind() == ExprKind::variable) return variable_value(e);
  if (e.kind() == ExprKind::constant) return e.value();
  if (e.kind() == ExprKind::select) return element_of(e.operand(0), known_.at(e.operand(1)));
  if (e.kind() == ExprKind::before) {
    const auto first = std::get<Place>(model_.value_of(e.operand(0)));
    return Bits::of(first < std::get<Place>(model_.value_of(e.operand(1))));
  }
  absl::InlinedVector<const Bits*, 4> values;
  for (Expr operand : e.operands()) values.push_back(&known_.at(operand));
  return apply(e.kind(), e.sort(), e.low(), values);
}

Bits Evaluator::variable_value(Expr variable) const {
  const Value* value = model_.find(variable);
  return value == nullptr ? Bits(variable.width()) : std::get<Bits>(*value);
}

// Walks down to what was stored last at the index; no array is ever built.
Bits Evaluator::element_of(Expr array, const Bits& index) const {
  while (true) {
    if (array.kind() == ExprKind::constant_array) return known_.at(array.operand(0));
    if (array.kind() == ExprKind::ite) {
      array = array.operand(known_.at(array.operand(0)).is_true() ? 1 : 2);
    } else if (array.kind() == ExprKind::store) {
      if (known_.at(array.operand(1)) == index) return known_.at(array.operand(2));
      array = array.operand(0);
    } else {
      CHECK(array.kind() == ExprKind::variable);
      const Value* value = model_.find(array);
      return value == nullptr ? Bits(array.width()) : std::get<ArrayValue>(*value).at(index);
    }
  }
}

}  // namespace foretell::smt
