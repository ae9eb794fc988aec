// SPDX-License-Identifier: Apache-2.0

#include "property_language/events.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace foretell::property_language {
namespace {

struct SourceRow {
  Source source;
  std::string_view word, text;
};

constexpr SourceRow kSources[] = {
#define FORETELL_PROPERTY_SOURCE(source, word, needs_name, most_arguments, text) \
  {Source::source, word, text},
#include "property_language/sources.def"
};

// Nothing if the two cannot be compared.
std::optional<std::partial_ordering> compare(const Value& a, const Value& b) {
  using Kind = Value::Kind;
  if (a.kind == Kind::unknown || b.kind == Kind::unknown) return {};
  if (a.kind == Kind::text || b.kind == Kind::text) {
    if (a.kind == b.kind) return a.text <=> b.text;
    // The name of an object is not null.
    return std::partial_ordering::unordered;
  }
  if (a.kind == Kind::number && b.kind == Kind::number) return a.number <=> b.number;
  auto real = [](const Value& v) {
    return v.kind == Kind::real ? v.real : static_cast<double>(v.number);
  };
  return real(a) <=> real(b);
}

bool holds_for(Comparison comparison, std::partial_ordering order) {
  switch (comparison) {
    case Comparison::equal:
      return order == 0;
    case Comparison::unequal:
      return order != 0;
    case Comparison::less:
      return order < 0;
    case Comparison::less_equal:
      return order <= 0;
    case Comparison::greater:
      return order > 0;
    case Comparison::greater_equal:
      return order >= 0;
  }
  return false;
}

// Unknown values make a comparison neither true nor false, and so does what is made of it.
std::optional<bool> evaluate(const Condition& condition, const Values& values) {
  switch (condition.kind) {
    case Condition::Kind::comparison: {
      auto value_of = [&](const Condition::Operand& operand) {
        return operand.name.empty() ? &operand.value : values.find(operand.name);
      };
      const Value *left = value_of(condition.left), *right = value_of(condition.right);
      if (left == nullptr || right == nullptr) return {};
      const auto order = compare(*left, *right);
      if (!order) return {};
      return holds_for(condition.comparison, *order);
    }
    case Condition::Kind::negation: {
      const auto part = evaluate(condition.parts[0], values);
      if (!part) return {};
      return !*part;
    }
    case Condition::Kind::both:
    case Condition::Kind::either: {
      const bool decisive = condition.kind == Condition::Kind::either;
      bool unknown = false;
      for (const Condition& part : condition.parts) {
        const auto value = evaluate(part, values);
        if (value == decisive) return decisive;
        unknown |= !value;
      }
      if (unknown) return {};
      return !decisive;
    }
  }
  return {};
}

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number n{};
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{} || at != text.data() + text.size()) return {};
  return n;
}

}  // namespace

std::string_view word_of(Source source) {
  return kSources[static_cast<size_t>(source)].word;
}
std::string_view text_of(Source source) {
  return kSources[static_cast<size_t>(source)].text;
}

std::optional<Source> source_named(std::string_view word) {
  const auto row = std::ranges::find(kSources, word, &SourceRow::word);
  if (row == std::end(kSources)) return {};
  return row->source;
}

Value Value::parse(std::string_view written) {
  if (written.size() >= 2 && written.front() == '"' && written.back() == '"') {
    return of(written.substr(1, written.size() - 2));
  }
  if (const auto n = whole_number<int64_t>(written)) return of(*n);
  if (const auto n = whole_number<uint64_t>(written)) return of(static_cast<int64_t>(*n));
  if (const auto n = whole_number<double>(written)) return of_real(*n);
  return of(written);
}

std::string Value::to_text() const {
  switch (kind) {
    case Kind::unknown:
      return "?";
    case Kind::number:
      return fmt::format("{}", number);
    case Kind::real:
      return fmt::format("{}", real);
    case Kind::text:
      return text;
  }
  return "";
}

bool holds(const Condition& condition, const Values& values) {
  return evaluate(condition, values).value_or(false);
}

std::vector<std::string> names_of(const EventPattern& pattern) {
  std::vector<std::string> names;
  auto add = [&](const Argument& argument) {
    if (!argument.name.empty()) names.push_back(argument.name);
  };
  if (pattern.arguments) std::ranges::for_each(*pattern.arguments, add);
  add(pattern.result);
  add(pattern.thread);
  return names;
}

std::vector<std::string> names_in(const Condition& condition) {
  std::vector<std::string> names;
  for (const Condition::Operand* operand : {&condition.left, &condition.right}) {
    if (!operand->name.empty()) names.push_back(operand->name);
  }
  for (const Condition& part : condition.parts) {
    std::ranges::copy(names_in(part), std::back_inserter(names));
  }
  return names;
}

}  // namespace foretell::property_language
