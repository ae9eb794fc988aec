// SPDX-License-Identifier: Apache-2.0

// FunctionChoice: which functions of a trace are meant by the names a person gave.
//
// A name means a function whose name it is, or whose name it is without parameters, without scopes,
// or without the arguments of templates: "add" means add, add(int) and Account::add(int), and
// "std::vector::push_back" means void std::vector<int, A>::push_back(int const&).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace foretell::analysis {

bool means_function(std::string_view name, std::string_view function);

class FunctionChoice {
 public:
  FunctionChoice(bool all, std::vector<std::string> names)
      : all_(all), names_(std::move(names)), is_met_(names_.size()) {}

  bool is_empty() const { return !all_ && names_.empty(); }
  // `function` is its name in the trace. Answers are remembered by id.
  bool contains(FunctionId id, std::string_view function);
  // Names that no function asked about had.
  std::vector<std::string> unmet() const;

 private:
  enum class Answer : uint8_t { unknown, no, yes };

  bool all_;
  std::vector<std::string> names_;
  std::vector<bool> is_met_;
  std::vector<Answer> answers_;  // by function
};

}  // namespace foretell::analysis
