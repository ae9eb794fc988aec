// SPDX-License-Identifier: Apache-2.0

#include "report/property_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace foretell::report {
namespace {

// Of a long run the last steps: they lead to the violation.
constexpr size_t kShownSteps = 8;

}  // namespace

std::string property_steps(const finding::PropertyFinding& property) {
  const size_t count = property.steps.size();
  if (count == 0 && !property.at_end) return "";
  const size_t first = count > kShownSteps ? count - kShownSteps : 0;
  size_t width = 0;
  for (size_t i = first; i < count; ++i) width = std::max(width, property.steps[i].event.size());
  std::string text = "  The monitor sees\n";
  if (first > 0) text += fmt::format("    ... {} steps before\n", first);
  for (size_t i = first; i < count; ++i) {
    const auto& step = property.steps[i];
    text += fmt::format("    {:<{}}  -> {}\n", step.event, width, step.state);
  }
  if (property.at_end) text += "    and the run ends, which it may not do here\n";
  return text;
}

std::string property_text(const finding::PropertyFinding& property) {
  std::string text;
  if (!property.formula.empty()) {
    text = fmt::format("  wanted  {}{}\n", property.formula,
                       property.no_run ? " in some run; no run satisfies it" : "");
  }
  if (!property.about.empty()) text += fmt::format("          {}\n", property.about);
  return text + property_steps(property);
}

}  // namespace foretell::report
