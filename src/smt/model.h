// SPDX-License-Identifier: Apache-2.0

// Model: values of variables, and the value of an expression under them.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <variant>

#include "smt/expr.h"

namespace foretell::smt {

// A function from indexes to elements that is constant except at finitely many places.
struct ArrayValue {
  Bits elsewhere;
  std::map<Bits, Bits> elements;

  const Bits& at(const Bits& index) const;
  bool operator==(const ArrayValue&) const = default;
};

// A place only counts in comparison with others.
enum class Place : int64_t {};

// Of a boolean or bit-vector, of an array, of a place. Booleans have width 1.
using Value = std::variant<Bits, ArrayValue, Place>;

class Model {
 public:
  void set(Expr variable, Value value);
  // Zero, false, or the array of zeros if the model says nothing: a variable that no constraint
  // mentions.
  Value value_of(Expr variable) const;
  const Value* find(Expr variable) const;
  // What `other` says is added; it must speak of other variables.
  void merge(const Model& other);

  size_t size() const { return values_.size(); }
  bool operator==(const Model&) const = default;
  // "x = 3, y = 0", by name.
  std::string to_text() const;

 private:
  absl::flat_hash_map<Expr, Value> values_;
};

// Values of expressions under one model. Remembers them, so asking for expressions that share parts
// is cheap. The model must outlive it and not change.
class Evaluator {
 public:
  explicit Evaluator(const Model& model) : model_(model) {}

  // Of a boolean or bit-vector.
  Bits value_of(Expr e);
  bool is_true(Expr condition) { return value_of(condition).is_true(); }
  bool all_true(std::span<const Expr> conditions);

 private:
  Bits compute(Expr e);
  Bits variable_value(Expr variable) const;
  Bits element_of(Expr array, const Bits& index) const;

  const Model& model_;
  absl::flat_hash_map<Expr, Bits> known_;
};

}  // namespace foretell::smt
