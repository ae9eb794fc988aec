// SPDX-License-Identifier: Apache-2.0

#include "property_language/formula_parser.h"

#include <algorithm>

#include "base/closest.h"

namespace foretell::property_language {
namespace {

constexpr std::string_view kReserved[] = {
    "and",          "or",    "not",   "implies", "true",       "false", "always",
    "eventually",   "next",  "until", "release", "previously", "once",  "since",
    "historically", "empty", "none",  "at",      "from",       "in",    "never"};

}  // namespace

bool is_reserved(std::string_view word) {
  return std::ranges::find(kReserved, word) != std::end(kReserved);
}

int FormulaParser::find_event(std::string_view name) const {
  const auto it = std::ranges::find(events_, name);
  return it == events_.end() ? -1 : static_cast<int>(it - events_.begin());
}

EventSet FormulaParser::event() {
  const std::string where = in_.place();
  if (in_.peek().kind != Token::Kind::word || is_reserved(in_.peek().text)) {
    in_.expected("the name of an event");
    return 0;
  }
  const std::string name = in_.take().text;
  const int number = find_event(name);
  if (number >= 0) return EventSet{1} << number;
  Diagnostic unknown{fmt::format("there is no event '{}' in this property", name), where};
  const auto near = closest(name, events_);
  if (near && near->size() > 1) unknown.notes.push_back(fmt::format("did you mean '{}'?", *near));
  in_.complain(std::move(unknown));
  return 0;
}

// Expressions: `|` binds less than `&`, that less than a sequence, that less than * + ? and !.

Expression FormulaParser::expression(ExpressionPool& pool) {
  Expression e = intersection(pool);
  while (in_.accept("|")) e = pool.either(e, intersection(pool));
  return e;
}

Expression FormulaParser::intersection(ExpressionPool& pool) {
  Expression e = sequence(pool);
  while (in_.accept("&")) e = pool.both(e, sequence(pool));
  return e;
}

bool FormulaParser::begins_expression() const {
  const Token& token = in_.peek();
  if (token.kind == Token::Kind::word) {
    return !is_reserved(token.text) || token.text == "empty" || token.text == "none";
  }
  return token.is("(") || token.is(".") || token.is("!") || token.is("~");
}

Expression FormulaParser::sequence(ExpressionPool& pool) {
  Expression e = repetition(pool);
  while (begins_expression()) e = pool.sequence(e, repetition(pool));
  return e;
}

Expression FormulaParser::repetition(ExpressionPool& pool) {
  if (in_.accept("!") || in_.accept("~")) return pool.complement(repetition(pool));
  Expression e = simple_expression(pool);
  for (;;) {
    if (in_.accept("*")) {
      e = pool.repeated(e);
    } else if (in_.accept("+")) {
      e = pool.sequence(e, pool.repeated(e));
    } else if (in_.accept("?")) {
      e = pool.either(e, pool.empty());
    } else {
      return e;
    }
  }
}

Expression FormulaParser::simple_expression(ExpressionPool& pool) {
  if (in_.accept("(")) {
    const Expression e = expression(pool);
    in_.expect(")");
    return e;
  }
  if (in_.accept(".")) return pool.any();
  if (in_.accept("empty")) return pool.empty();
  if (in_.accept("none")) return pool.none();
  if (!begins_expression()) {
    in_.expected("an event, '.', '(' or '!'");
    return pool.none();
  }
  return pool.one_of(event());
}

// Temporal logic: <-> and -> bind least, then ||, &&, the binary temporal operators, the unary ones.

Formula FormulaParser::formula() {
  Formula f = implication();
  while (in_.accept("<->")) {
    const Formula g = implication();
    f = either(both(f, g), both(negation(f), negation(g)));
  }
  return f;
}

Formula FormulaParser::implication() {
  Formula f = disjunction();
  if (in_.accept("->") || in_.accept("=>") || in_.accept("implies")) {
    return either(negation(std::move(f)), implication());
  }
  return f;
}

Formula FormulaParser::disjunction() {
  Formula f = conjunction();
  while (in_.accept("||") || in_.accept("|") || in_.accept("or")) f = either(f, conjunction());
  return f;
}

Formula FormulaParser::conjunction() {
  Formula f = binary_temporal();
  while (in_.accept("&&") || in_.accept("&") || in_.accept("and")) f = both(f, binary_temporal());
  return f;
}

Formula FormulaParser::binary_temporal() {
  Formula f = unary();
  if (in_.accept("until")) return until(std::move(f), binary_temporal());
  if (in_.accept("release")) return release(std::move(f), binary_temporal());
  if (in_.accept("since")) return since(std::move(f), binary_temporal());
  return f;
}

Formula FormulaParser::unary() {
  if (in_.accept("!") || in_.accept("not")) return negation(unary());
  if (in_.accept("[]") || in_.accept("always")) return always(unary());
  if (in_.accept("<>") || in_.accept("eventually")) return eventually(unary());
  if (in_.accept("next")) return next(unary());
  if (in_.accept("(*)") || in_.accept("previously")) return previously(unary());
  if (in_.accept("<*>") || in_.accept("once")) return once(unary());
  if (in_.accept("[*]") || in_.accept("historically")) return historically(unary());
  if (in_.accept("true")) return truth();
  if (in_.accept("false")) return falsity();
  if (in_.accept("(")) {
    Formula f = formula();
    in_.expect(")");
    return f;
  }
  if (in_.peek().kind != Token::Kind::word || is_reserved(in_.peek().text)) {
    in_.expected("an event, '(' or a temporal operator");
    return truth();
  }
  return event_of(event());
}

// Every name on the left of an arrow is a rule; what is neither that nor an event is a mistake.
Grammar FormulaParser::grammar() {
  Grammar grammar;
  std::vector<std::pair<std::string, std::string>> used;  // rules that bodies name, and where
  in_.expect("{", "'{' and the rules of the grammar");
  auto rule_number = [&](const std::string& name, const std::string& where, bool defines) {
    auto it = std::ranges::find(grammar.rules, name, &Grammar::Rule::name);
    if (it == grammar.rules.end()) {
      grammar.rules.push_back({name, {}, defines ? where : ""});
      it = grammar.rules.end() - 1;
    } else if (defines && it->where.empty()) {
      it->where = where;
    }
    return static_cast<uint32_t>(it - grammar.rules.begin());
  };
  while (!in_.failed() && !in_.peek().is("}")) {
    const std::string where = in_.place();
    const std::string name = in_.expect_word("the name of a rule, or '}'");
    if (find_event(name) >= 0 || is_reserved(name)) {
      in_.complain(where, fmt::format("'{}' cannot be a rule: it is {}", name,
                                      is_reserved(name) ? "a word of the language" : "an event"));
      break;
    }
    const uint32_t rule = rule_number(name, where, true);
    in_.expect("->", "'->' and what the rule becomes");
    do {
      std::vector<Grammar::Symbol> symbols;
      if (!in_.accept("empty")) {
        if (in_.peek().kind != Token::Kind::word) in_.expected("an event, a rule or 'empty'");
        while (in_.peek().kind == Token::Kind::word) {
          const std::string place = in_.place();
          const std::string symbol = in_.take().text;
          const int number = find_event(symbol);
          if (number >= 0) {
            symbols.push_back({false, static_cast<uint32_t>(number)});
          } else {
            used.emplace_back(symbol, place);
            symbols.push_back({true, rule_number(symbol, place, false)});
          }
        }
      }
      grammar.rules[rule].bodies.push_back(std::move(symbols));
    } while (in_.accept("|"));
    in_.expect(";", "';' or '|' after what a rule becomes");
  }
  in_.expect("}");
  for (const auto& [name, where] : used) {
    const auto it = std::ranges::find(grammar.rules, name, &Grammar::Rule::name);
    if (!in_.failed() && it->bodies.empty()) {
      in_.complain(where,
                   fmt::format("'{}' is neither an event of this property nor a rule", name));
    }
  }
  if (!in_.failed() && grammar.rules.empty()) in_.complain(in_.place(), "the grammar has no rule");
  return grammar;
}

}  // namespace foretell::property_language
