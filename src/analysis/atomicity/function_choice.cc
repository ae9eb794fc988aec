// SPDX-License-Identifier: Apache-2.0

#include "analysis/atomicity/function_choice.h"

#include <algorithm>

namespace foretell::analysis {
namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)", kOperator = "operator";

// The length of an operator's name at the beginning of `text`: "operator()", "operator<<"; else 0.
size_t operator_length(std::string_view text) {
  if (!text.starts_with(kOperator)) return 0;
  const std::string_view rest = text.substr(kOperator.size());
  for (std::string_view symbol :
       {"()", "[]", "<=>", "->*", "<<=", ">>=", "->", "<<", ">>", "<=", ">=", "<", ">"}) {
    if (rest.starts_with(symbol)) return kOperator.size() + symbol.size();
  }
  return 0;
}

// What is left of a function's name without its parameters, its result ("void f<int>(int)") and,
// on request, the arguments of templates and the tags of the ABI: "std::vector::push_back".
std::string plain_name(std::string_view function, bool keeps_templates) {
  std::string name;
  size_t depth = 0;
  for (size_t i = 0; i < function.size(); ++i) {
    const std::string_view rest = function.substr(i);
    std::string_view piece = rest.substr(0, 1);
    if (rest.starts_with(kAnonymous)) {
      piece = kAnonymous;
    } else if (const size_t length = operator_length(rest); length > 0) {
      piece = rest.substr(0, length);
    } else if (piece == "(" && depth == 0) {
      break;
    } else if (piece == ">") {
      depth -= depth > 0;
      if (!keeps_templates) continue;
    } else if (piece == "<") {
      ++depth;
      if (!keeps_templates) continue;
    } else if (piece == " " && depth == 0 && !name.ends_with(kOperator)) {
      name.clear();  // the result stood before it
      continue;
    } else if (rest.starts_with("[abi:") && !keeps_templates) {
      i += std::min(rest.find(']'), rest.size() - 1);
      continue;
    }
    if (depth == 0 || keeps_templates) name += piece;
    i += piece.size() - 1;
  }
  return name;
}

}  // namespace

bool means_function(std::string_view name, std::string_view function) {
  const std::string with = plain_name(function, true), without = plain_name(function, false);
  for (std::string_view whole : {function, std::string_view(with), std::string_view(without)}) {
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
