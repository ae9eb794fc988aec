// SPDX-License-Identifier: Apache-2.0

// What a register or a cell of memory may hold: integers of up to 64 bits, floating point numbers, or
// anything (pointers, vectors, structures, wider numbers).
#pragma once

#include <llvm/IR/Constants.h>

#include <variant>

#include "static_analysis/domain/observation.h"

namespace foretell::static_analysis::interpreter {

class Value {
 public:
  Value() = default;  // anything
  Value(domain::Number number) : held_(std::move(number)) {}
  Value(domain::Floating number) : held_(number) {}
  static Value top_of(const llvm::Type& type);
  static Value nothing_of(const llvm::Type& type);
  static Value of(const llvm::Constant& constant);

  const domain::Number* number() const { return std::get_if<domain::Number>(&held_); }
  const domain::Floating* floating() const { return std::get_if<domain::Floating>(&held_); }
  bool is_nothing() const;
  bool operator==(const Value&) const = default;

  Value join(const Value& other) const;
  Value widen(const Value& next, std::span<const int64_t> thresholds) const;
  bool is_below(const Value& other) const;

  std::optional<int64_t> block_in(const domain::Observation& observation) const;
  std::string text() const;

 private:
  std::variant<std::monostate, domain::Number, domain::Floating> held_;
};

}  // namespace foretell::static_analysis::interpreter
