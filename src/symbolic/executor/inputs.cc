// SPDX-License-Identifier: Apache-2.0

#include "symbolic/executor/inputs.h"

#include <fmt/format.h>

namespace foretell::symbolic {

std::string_view name_of(InputKind kind) {
  switch (kind) {
    case InputKind::argument_count:
      return "argument_count";
    case InputKind::argument_number:
      return "argument_number";
    case InputKind::argument_long:
      return "argument_long";
    case InputKind::argument_byte:
      return "argument_byte";
  }
  return "";
}

smt::Expr Inputs::find(InputKind kind, uint32_t index, uint32_t byte) {
  for (const Input& input : all_)
    if (input.kind == kind && input.index == index && input.byte == byte) return input.variable;
  std::string name;
  uint32_t width = 32;
  switch (kind) {
    case InputKind::argument_count:
      name = "argc";
      break;
    case InputKind::argument_number:
      name = fmt::format("atoi(argv[{}])", index);
      break;
    case InputKind::argument_long:
      name = fmt::format("atol(argv[{}])", index);
      width = 64;
      break;
    case InputKind::argument_byte:
      name = fmt::format("argv[{}][{}]", index, byte);
      width = 8;
      break;
  }
  all_.push_back({kind, index, byte, context_.variable(name, smt::Sort::bits(width))});
  return all_.back().variable;
}

const Input* Inputs::input_of(smt::Expr variable) const {
  for (const Input& input : all_)
    if (input.variable == variable) return &input;
  return nullptr;
}

}  // namespace foretell::symbolic
