// SPDX-License-Identifier: Apache-2.0

#include "analysis/atomicity/function_choice.h"

namespace foretell::analysis {
namespace {

// Without parameters: what stands before the first '(' that is not part of a name.
std::string_view without_parameters(std::string_view function) {
  constexpr std::string_view kOperator = "operator()", kAnonymous = "(anonymous namespace)";
  for (size_t i = 0; i < function.size(); ++i) {
    const std::string_view rest = function.substr(i);
    if (rest.starts_with(kAnonymous)) {
      i += kAnonymous.size() - 1;
    } else if (rest.starts_with(kOperator)) {
      i += kOperator.size() - 1;
    } else if (function[i] == '(') {
      return function.substr(0, i);
    }
  }
  return function;
}

}  // namespace

bool means_function(std::string_view name, std::string_view function) {
  for (std::string_view whole : {function, without_parameters(function)}) {
    if (whole == name) return true;
    if (whole.size() > name.size() + 2 && whole.ends_with(name) &&
        whole.substr(0, whole.size() - name.size()).ends_with("::")) {
      return true;
    }
  }
  return false;
}

bool FunctionChoice::contains(FunctionId id, std::string_view function) {
  if (all_) return true;
  if (to_index(id) >= answers_.size()) answers_.resize(to_index(id) + 1);
  Answer& answer = answers_[to_index(id)];
  if (answer != Answer::unknown) return answer == Answer::yes;
  answer = Answer::no;
  for (size_t i = 0; i < names_.size(); ++i) {
    if (!means_function(names_[i], function)) continue;
    is_met_[i] = true;
    answer = Answer::yes;
  }
  return answer == Answer::yes;
}

std::vector<std::string> FunctionChoice::unmet() const {
  std::vector<std::string> names;
  for (size_t i = 0; i < names_.size(); ++i) {
    if (!is_met_[i]) names.push_back(names_[i]);
  }
  return names;
}

}  // namespace foretell::analysis
