// SPDX-License-Identifier: Apache-2.0

#include "trace/contained_statements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <ranges>
#include <string_view>

namespace foretell::trace {
namespace {

constexpr std::string_view kContained = "contained";

}  // namespace

std::vector<SiteId> contained_statements(const RunFacts& facts) {
  std::vector<SiteId> statements;
  for (const auto part : std::views::split(facts.other.find(kContained).value_or(""), ' ')) {
    const std::string_view word(part.begin(), part.end());
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error == std::errc() && end == word.data() + word.size()) {
      statements.push_back(SiteId{number});
    }
  }
  return statements;
}

void set_contained_statements(std::span<const SiteId> statements, RunFacts& facts) {
  if (statements.empty() && !facts.other.find(kContained)) return;
  std::vector<size_t> numbers;
  for (SiteId statement : statements) numbers.push_back(to_index(statement));
  facts.other.set(kContained, fmt::format("{}", fmt::join(numbers, " ")));
}

}  // namespace foretell::trace
