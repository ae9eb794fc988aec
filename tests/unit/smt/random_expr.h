// SPDX-License-Identifier: Apache-2.0

// Random expressions together with what they must evaluate to, found without the code under test:
// each step of a recipe is applied to an expression by ExprContext, which simplifies, and to plain
// values, which cannot.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "smt/expr_context.h"
#include "smt/model.h"
#include "smt/operators.h"

namespace foretell::smt {

// An expression and its value under each of the samples.
struct Sampled {
  Expr expr;
  std::vector<Bits> values;
};

struct SampledArray {
  Expr expr;
  std::vector<ArrayValue> values;
};

class RandomExprs {
 public:
  RandomExprs(ExprContext& context, uint64_t seed, size_t samples, std::vector<uint32_t> widths)
      : context_(context), random_(seed), models_(samples), widths_(std::move(widths)) {
    for (uint32_t width : widths_) {
      for (const char* name : {"x", "y", "z"})
        add_variable(name + std::to_string(width), Sort::bits(width));
    }
    for (const char* name : {"p", "q"}) add_variable(name, Sort::boolean());
    add_array("a");
    add_array("b");
  }

  const std::vector<Model>& models() const { return models_; }
  size_t below(size_t n) { return random_() % n; }
  uint32_t width() { return widths_[below(widths_.size())]; }

  // Small numbers, powers of two and their neighbors make rules apply that a random number never
  // would.
  Bits number(uint32_t width) {
    Bits value(width);
    switch (below(4)) {
      case 0:
        return Bits(width, below(3));
      case 1:
        value.set_bit(static_cast<uint32_t>(below(width)), true);
        return below(2) == 0 ? value : negate(value);
      case 2:
        return Bits::all_ones(width);
      default:
        for (size_t i = 0; i < value.word_count(); ++i) value.mutable_word(i) = random_();
        return std::move(value).trimmed();
    }
  }

  Sampled bits(uint32_t width, int depth) {
    if (depth <= 0 || below(8) == 0) return leaf(width);
    switch (below(9)) {
      case 0: {
        const ExprKind kind = below(2) == 0 ? ExprKind::negation : ExprKind::complement;
        return apply_to(kind, Sort::bits(width), {bits(width, depth - 1)});
      }
      case 1:
        return piece(width, depth);
      case 2:
        return apply_to(ExprKind::ite, Sort::bits(width),
                        {condition(depth - 1), bits(width, depth - 1), bits(width, depth - 1)});
      case 3:
        if (width == kElement) return load(depth);
        [[fallthrough]];
      default: {
        static constexpr ExprKind kBinary[] = {
            ExprKind::add,    ExprKind::subtract, ExprKind::multiply, ExprKind::udiv,
            ExprKind::urem,   ExprKind::sdiv,     ExprKind::srem,     ExprKind::bit_and,
            ExprKind::bit_or, ExprKind::bit_xor,  ExprKind::shl,      ExprKind::lshr,
            ExprKind::ashr,   ExprKind::add,      ExprKind::subtract};
        return apply_to(kBinary[below(std::size(kBinary))], Sort::bits(width),
                        {bits(width, depth - 1), bits(width, depth - 1)});
      }
    }
  }

  Sampled condition(int depth) {
    if (depth <= 0 || below(10) == 0) return boolean_leaf();
    const uint32_t w = width();
    switch (below(6)) {
      case 0:
        return apply_to(ExprKind::logical_not, Sort::boolean(), {condition(depth - 1)});
      case 1: {
        std::vector<Sampled> operands;
        for (size_t i = 0; i < 2 + below(2); ++i) operands.push_back(condition(depth - 1));
        const ExprKind kind = below(2) == 0 ? ExprKind::logical_and : ExprKind::logical_or;
        return apply_to(kind, Sort::boolean(), operands);
      }
      case 2:
        return apply_to(ExprKind::equal, Sort::boolean(),
                        {condition(depth - 1), condition(depth - 1)});
      case 3:
        return apply_to(ExprKind::ite, Sort::boolean(),
                        {condition(depth - 1), condition(depth - 1), condition(depth - 1)});
      default: {
        static constexpr ExprKind kCompare[] = {ExprKind::equal, ExprKind::ult, ExprKind::slt};
        return apply_to(kCompare[below(3)], Sort::boolean(),
                        {bits(w, depth - 1), bits(w, depth - 1)});
      }
    }
  }

  static constexpr uint32_t kIndex = 8, kElement = 8;

 private:
  void add_variable(const std::string& name, Sort sort) {
    const Expr variable = context_.variable(name, sort);
    Sampled sampled{variable, {}};
    for (Model& model : models_) {
      const Bits value = number(sort.width);
      model.set(variable, value);
      sampled.values.push_back(value);
    }
    variables_.push_back(sampled);
  }

  void add_array(const std::string& name) {
    SampledArray array{context_.variable(name, Sort::array(kIndex, kElement)), {}};
    for (Model& model : models_) {
      ArrayValue value{number(kElement), {}};
      for (int i = 0; i < 5; ++i) value.elements.insert_or_assign(number(kIndex), number(kElement));
      model.set(array.expr, value);
      array.values.push_back(value);
    }
    arrays_.push_back(array);
  }

  Sampled constant(const Bits& value, Expr expr) {
    return {expr, std::vector(models_.size(), value)};
  }

  Sampled leaf(uint32_t width) {
    std::vector<Sampled> fitting;
    for (const Sampled& v : variables_) {
      if (v.expr.sort() == Sort::bits(width)) fitting.push_back(v);
    }
    if (fitting.empty() || below(2) == 0) {
      const Bits value = number(width);
      return constant(value, context_.constant(value));
    }
    return fitting[below(fitting.size())];
  }

  Sampled boolean_leaf() {
    if (below(8) == 0) {
      const bool value = below(2) == 0;
      return constant(Bits::of(value), context_.boolean(value));
    }
    return variables_[variables_.size() - 1 - below(2)];
  }

  // A part of something wider, or something put together from narrower parts.
  Sampled piece(uint32_t width, int depth) {
    const Sort sort = Sort::bits(width);
    if (width > 1 && below(2) == 0) {
      const auto low = static_cast<uint32_t>(1 + below(width - 1));
      if (below(2) == 0) {
        return apply_to(ExprKind::concat, sort,
                        {bits(width - low, depth - 1), bits(low, depth - 1)});
      }
      return apply_to(below(2) == 0 ? ExprKind::zero_extend : ExprKind::sign_extend, sort,
                      {bits(low, depth - 1)});
    }
    const auto more = static_cast<uint32_t>(below(20));
    const auto low = static_cast<uint32_t>(below(more + 1));
    return apply_to(ExprKind::extract, sort, {bits(width + more, depth - 1)}, low);
  }

  Sampled load(int depth) {
    const SampledArray from = array(depth - 1);
    const Sampled index = bits(kIndex, depth - 1);
    Sampled result{context_.select(from.expr, index.expr), {}};
    for (size_t i = 0; i < models_.size(); ++i)
      result.values.push_back(from.values[i].at(index.values[i]));
    return result;
  }

  SampledArray array(int depth) {
    if (depth <= 0 || below(4) == 0) {
      if (below(4) > 0) return arrays_[below(2)];
      const Sampled element = bits(kElement, 0);
      SampledArray result{context_.constant_array(kIndex, element.expr), {}};
      for (const Bits& value : element.values) result.values.push_back({value, {}});
      return result;
    }
    SampledArray base = array(depth - 1);
    if (below(4) == 0) {
      const Sampled chosen = condition(depth - 1);
      const SampledArray other = array(depth - 1);
      base.expr = context_.ite(chosen.expr, base.expr, other.expr);
      for (size_t i = 0; i < models_.size(); ++i) {
        if (chosen.values[i].is_zero()) base.values[i] = other.values[i];
      }
      return base;
    }
    const Sampled index = bits(kIndex, depth - 1);
    const Sampled element = below(4) == 0 ? load(depth - 1) : bits(kElement, depth - 1);
    base.expr = context_.store(base.expr, index.expr, element.expr);
    for (size_t i = 0; i < models_.size(); ++i) {
      base.values[i].elements.insert_or_assign(index.values[i], element.values[i]);
    }
    return base;
  }

  Sampled apply_to(ExprKind kind, Sort sort, const std::vector<Sampled>& operands,
                   uint32_t low = 0) {
    std::vector<Expr> exprs;
    for (const Sampled& o : operands) exprs.push_back(o.expr);
    Sampled result{build(kind, sort, low, exprs), {}};
    for (size_t i = 0; i < models_.size(); ++i) {
      std::vector<const Bits*> values;
      for (const Sampled& o : operands) values.push_back(&o.values[i]);
      result.values.push_back(apply(kind, sort, low, values));
    }
    return result;
  }

  // By the public constructors.
  Expr build(ExprKind kind, Sort sort, uint32_t low, const std::vector<Expr>& o) {
    switch (kind) {
      case ExprKind::negation:
        return context_.negation(o[0]);
      case ExprKind::complement:
        return context_.complement(o[0]);
      case ExprKind::add:
        return context_.add(o[0], o[1]);
      case ExprKind::subtract:
        return context_.subtract(o[0], o[1]);
      case ExprKind::multiply:
        return context_.multiply(o[0], o[1]);
      case ExprKind::udiv:
        return context_.udiv(o[0], o[1]);
      case ExprKind::urem:
        return context_.urem(o[0], o[1]);
      case ExprKind::sdiv:
        return context_.sdiv(o[0], o[1]);
      case ExprKind::srem:
        return context_.srem(o[0], o[1]);
      case ExprKind::bit_and:
        return context_.bit_and(o[0], o[1]);
      case ExprKind::bit_or:
        return context_.bit_or(o[0], o[1]);
      case ExprKind::bit_xor:
        return context_.bit_xor(o[0], o[1]);
      case ExprKind::shl:
        return context_.shl(o[0], o[1]);
      case ExprKind::lshr:
        return context_.lshr(o[0], o[1]);
      case ExprKind::ashr:
        return context_.ashr(o[0], o[1]);
      case ExprKind::concat:
        return context_.concat(o[0], o[1]);
      case ExprKind::extract:
        return context_.extract(o[0], low, sort.width);
      case ExprKind::zero_extend:
        return context_.zero_extend(o[0], sort.width);
      case ExprKind::sign_extend:
        return context_.sign_extend(o[0], sort.width);
      case ExprKind::ult:
        return context_.ult(o[0], o[1]);
      case ExprKind::slt:
        return context_.slt(o[0], o[1]);
      case ExprKind::equal:
        return context_.equal(o[0], o[1]);
      case ExprKind::logical_not:
        return context_.logical_not(o[0]);
      case ExprKind::logical_and:
        return context_.logical_and(o);
      case ExprKind::logical_or:
        return context_.logical_or(o);
      case ExprKind::ite:
        return context_.ite(o[0], o[1], o[2]);
      case ExprKind::variable:
      case ExprKind::constant:
      case ExprKind::before:
      case ExprKind::constant_array:
      case ExprKind::select:
      case ExprKind::store:
        break;
    }
    return context_.boolean(false);
  }

  ExprContext& context_;
  std::mt19937_64 random_;
  std::vector<Model> models_;
  std::vector<uint32_t> widths_;
  std::vector<Sampled> variables_;  // the booleans last
  std::vector<SampledArray> arrays_;
};

}  // namespace foretell::smt
