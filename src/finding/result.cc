// SPDX-License-Identifier: Apache-2.0

#include "finding/result.h"

#include <fmt/format.h>

#include <map>

namespace foretell::finding {

std::string_view word_of(BaselineState state) {
  switch (state) {
    case BaselineState::none:
      return "";
    case BaselineState::fresh:
      return "new";
    case BaselineState::known:
      return "known";
    case BaselineState::regression:
      return "regression";
  }
  return "";
}

std::optional<BaselineState> baseline_state_named(std::string_view word) {
  using enum BaselineState;
  for (BaselineState state : {none, fresh, known, regression}) {
    if (word == word_of(state)) return state;
  }
  return {};
}

void AnalysisResult::number_findings() {
  std::map<FindingKind, size_t> last;
  auto number = [&](Finding& f) {
    f.id = fmt::format("{}-{}", word_of(f.kind()), ++last[f.kind()]);
  };
  // What is not shown uses up no number of what is.
  auto is_shown = [](const Finding& f) { return f.verdict <= Verdict::predicted; };
  for (Finding& f : findings) {
    if (is_shown(f)) number(f);
  }
  for (Finding& f : findings) {
    if (!is_shown(f)) number(f);
  }
  for (Finding& f : dismissed) number(f);
}

}  // namespace foretell::finding
