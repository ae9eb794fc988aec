// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/interpreter/value.h"

namespace foretell::static_analysis::interpreter {

using domain::Floating;
using domain::Number;

namespace {

bool is_number(const llvm::Type& type) {
  return type.isIntegerTy() && type.getIntegerBitWidth() <= 64;
}
bool is_floating(const llvm::Type& type) {
  return type.isFloatTy() || type.isDoubleTy();
}

}  // namespace

Value Value::top_of(const llvm::Type& type) {
  if (is_number(type)) return Number::top(type.getIntegerBitWidth());
  if (is_floating(type)) return Floating::top();
  return {};
}

Value Value::nothing_of(const llvm::Type& type) {
  if (is_number(type)) return Number::bottom(type.getIntegerBitWidth());
  if (is_floating(type)) return Floating::bottom();
  return {};
}

Value Value::of(const llvm::Constant& constant) {
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&constant);
      number && number->getBitWidth() <= 64)
    return Number::of(number->getBitWidth(), number->getSExtValue());
  if (const auto* number = llvm::dyn_cast<llvm::ConstantFP>(&constant);
      number && is_floating(*constant.getType()))
    return Floating::of(constant.getType()->isFloatTy() ? number->getValueAPF().convertToFloat()
                                                        : number->getValueAPF().convertToDouble());
  return top_of(*constant.getType());
}

bool Value::is_nothing() const {
  if (const Number* one = number()) return one->is_bottom();
  const Floating* one = floating();
  return one && one->is_bottom();
}

Value Value::join(const Value& other) const {
  if (number() && other.number() && number()->bits() == other.number()->bits())
    return number()->join(*other.number());
  if (floating() && other.floating()) return floating()->join(*other.floating());
  return {};
}

Value Value::widen(const Value& next, std::span<const int64_t> thresholds) const {
  if (number() && next.number() && number()->bits() == next.number()->bits())
    return number()->widen(*next.number(), thresholds);
  if (floating() && next.floating()) return floating()->widen(*next.floating());
  return {};
}

bool Value::is_below(const Value& other) const {
  if (other.held_.index() == 0) return true;
  if (number() && other.number() && number()->bits() == other.number()->bits())
    return number()->is_below(*other.number());
  return floating() && other.floating() && floating()->is_below(*other.floating());
}

std::optional<int64_t> Value::block_in(const domain::Observation& observation) const {
  if (const Number* one = number()) return observation.block_of(*one);
  if (const Floating* one = floating()) return observation.block_of(*one);
  return {};
}

std::string Value::text() const {
  if (const Number* one = number()) return one->text();
  if (const Floating* one = floating()) return one->text();
  return "anything";
}

}  // namespace foretell::static_analysis::interpreter
