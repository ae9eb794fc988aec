// SPDX-License-Identifier: Apache-2.0

#include "property_language/event_parser.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "property_language/formula_parser.h"

namespace foretell::property_language {
namespace {

struct SourceLimits {
  bool needs_name;
  int most_arguments;
};

constexpr SourceLimits kLimits[] = {
#define FORETELL_PROPERTY_SOURCE(source, word, needs_name, most_arguments, text) \
  {needs_name, most_arguments},
#include "property_language/sources.def"
};

}  // namespace

EventPattern EventParser::event() {
  EventPattern e;
  auto wrong = [&](const std::string& where, std::string message) {
    in_.complain(where, std::move(message));
    return e;
  };
  e.where = in_.place();
  e.name = in_.expect_word("the name of the event");
  if (is_reserved(e.name)) {
    return wrong(e.where,
                 fmt::format("'{}' is a word of the language; choose another name", e.name));
  }
  in_.expect("=");
  const auto source = in_.peek().kind == Token::Kind::word ? source_named(in_.peek().text)
                                                           : std::optional<Source>{};
  if (!source) {
    std::string words;
    for (size_t i = 0; i < std::size(kLimits); ++i) {
      words += fmt::format("{}{}", i == 0 ? "" : ", ", word_of(static_cast<Source>(i)));
    }
    in_.expected(fmt::format("a kind of event ({})", words));
    return e;
  }
  in_.take();
  e.source = *source;
  operands(e);
  if (e.condition && !in_.failed()) check_condition(e);
  return e;
}

void EventParser::operands(EventPattern& e) {
  const SourceLimits& limits = kLimits[static_cast<size_t>(e.source)];
  if (in_.peek().kind == Token::Kind::text ||
      (in_.peek().kind == Token::Kind::word && !in_.peek().is("by") && !in_.peek().is("where"))) {
    e.object = object_name();
  } else if (limits.needs_name) {
    return in_.expected(fmt::format("a name after '{}'", word_of(e.source)));
  }
  if (in_.accept("(")) {
    const std::string place = in_.place();
    e.arguments = arguments();
    if (limits.most_arguments >= 0 && std::ssize(*e.arguments) > limits.most_arguments) {
      return in_.complain(
          place, fmt::format("'{}' has at most {} argument{}", word_of(e.source),
                             limits.most_arguments, limits.most_arguments == 1 ? "" : "s"));
    }
  }
  if (in_.peek().is("->") && e.source != Source::ret) {
    return in_.complain(in_.place(), "only 'return' has a result");
  }
  if (in_.accept("->")) e.result = argument();
  if (in_.accept("by")) e.thread = argument();
  if (in_.accept("where")) e.condition = condition();
  in_.expect(";", "'(', '->', 'by', 'where' or ';'");
}

void EventParser::check_condition(const EventPattern& e) {
  const std::vector<std::string> names = names_of(e);
  for (const std::string& name : names_in(*e.condition)) {
    if (std::ranges::find(names, name) != names.end()) continue;
    in_.complain(e.where, fmt::format("the condition of '{}' asks for '{}', which the event does "
                                      "not take",
                                      e.name, name));
  }
}

// Parts that adjoin: Account::add, entry.size, p->next.
std::string EventParser::object_name() {
  if (in_.peek().kind == Token::Kind::text) return in_.take().text;
  std::string name = in_.take().text;
  for (;;) {
    const bool joint = in_.peek().is("::") || in_.peek().is(".") || in_.peek().is("->");
    if (!joint || !in_.adjoins()) return name;
    name += in_.take().text;
    if (in_.peek().is("~")) name += in_.take().text;
    name += in_.expect_word("the rest of the name");
    if (in_.failed()) return name;
  }
}

Value EventParser::literal() {
  const Token token = in_.take();
  if (token.kind == Token::Kind::text) return Value::of(token.text);
  if (token.is("null") || token.is("false")) return Value::of(0);
  if (token.is("true")) return Value::of(1);
  if (token.text.starts_with("0x")) {
    uint64_t number = 0;
    const char* const end = token.text.data() + token.text.size();
    if (std::from_chars(token.text.data() + 2, end, number, 16).ptr == end) {
      return Value::of(static_cast<int64_t>(number));
    }
  }
  const Value value = Value::parse(token.text);
  if (value.kind == Value::Kind::text) {
    in_.complain(in_.place_of(token), fmt::format("'{}' is no number", token.text));
  }
  return value;
}

Argument EventParser::argument() {
  if (in_.accept("_")) return {};
  const Token& token = in_.peek();
  if (token.kind == Token::Kind::number || token.kind == Token::Kind::text || token.is("null") ||
      token.is("true") || token.is("false")) {
    return {.wanted = literal()};
  }
  return {.name = in_.expect_word("'_', a name, a number or a text")};
}

std::vector<Argument> EventParser::arguments() {
  std::vector<Argument> list;
  if (in_.accept(")")) return list;
  do {
    list.push_back(argument());
  } while (!in_.failed() && in_.accept(","));
  in_.expect(")", "',' or ')'");
  return list;
}

Condition EventParser::condition() {
  Condition all{.kind = Condition::Kind::either, .parts = {conjunction()}};
  while (in_.accept("||") || in_.accept("or")) all.parts.push_back(conjunction());
  return all.parts.size() == 1 ? all.parts[0] : all;
}

Condition EventParser::conjunction() {
  Condition all{.kind = Condition::Kind::both, .parts = {simple_condition()}};
  while (in_.accept("&&") || in_.accept("and")) all.parts.push_back(simple_condition());
  return all.parts.size() == 1 ? all.parts[0] : all;
}

Condition EventParser::simple_condition() {
  if (in_.accept("!") || in_.accept("not")) {
    return {.kind = Condition::Kind::negation, .parts = {simple_condition()}};
  }
  if (in_.accept("(")) {
    Condition inner = condition();
    in_.expect(")");
    return inner;
  }
  Condition result{.left = operand()};
  constexpr std::pair<std::string_view, Comparison> kSigns[] = {
      {"==", Comparison::equal},      {"=", Comparison::equal}, {"!=", Comparison::unequal},
      {"<=", Comparison::less_equal}, {"<", Comparison::less},  {">=", Comparison::greater_equal},
      {">", Comparison::greater}};
  for (const auto& [sign, comparison] : kSigns) {
    if (!in_.accept(sign)) continue;
    result.comparison = comparison;
    result.right = operand();
    return result;
  }
  in_.expected("a comparison: ==, !=, <, <=, > or >=");
  return result;
}

Condition::Operand EventParser::operand() {
  Argument value = argument();
  if (value.wanted) return {.value = *value.wanted};
  if (value.name.empty() && !in_.failed()) {
    in_.complain(in_.place(), "'_' has no value to compare");
  }
  return {.name = value.name};
}

}  // namespace foretell::property_language
