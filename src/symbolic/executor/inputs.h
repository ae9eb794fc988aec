// SPDX-License-Identifier: Apache-2.0

// Inputs of the program: variables of terms, and where the constrained program finds their values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "smt/expr_context.h"

namespace foretell::symbolic {

enum class InputKind : uint8_t {
  argument_count,   // argc
  argument_number,  // atoi(argv[index])
  argument_long,    // strtol(argv[index], 0, 10)
  argument_byte,    // argv[index][byte]
};
std::string_view name_of(InputKind kind);

struct Input {
  InputKind kind = InputKind::argument_count;
  uint32_t index = 0, byte = 0;
  smt::Expr variable;

  std::string_view name() const { return variable.name(); }
};

class Inputs {
 public:
  explicit Inputs(smt::ExprContext& context) : context_(context) {}

  // One variable for each place, whatever path asks first.
  smt::Expr find(InputKind kind, uint32_t index = 0, uint32_t byte = 0);
  const Input* input_of(smt::Expr variable) const;
  const std::vector<Input>& all() const { return all_; }

 private:
  smt::ExprContext& context_;
  std::vector<Input> all_;
};

}  // namespace foretell::symbolic
