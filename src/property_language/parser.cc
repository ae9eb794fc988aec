// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/closest.h"
#include "base/input_file.h"
#include "property_language/event_parser.h"
#include "property_language/formula_parser.h"
#include "property_language/future.h"
#include "property_language/property.h"
#include "property_language/token_stream.h"

namespace foretell::property_language {
namespace {

constexpr std::string_view kStatements[] = {
    "about",  "event",     "for",       "pattern",  "never", "ltl", "past",   "nesting",
    "atomic", "alternate", "exclusive", "resource", "after", "in",  "created"};

class PropertyParser {
 public:
  PropertyParser(TokenStream& in, std::string_view text) : in_(in), text_(text) {}

  Property property();

 private:
  void statement();
  void event();
  void parameters();
  void created();
  void begin_at_creation();
  bool formula();
  bool built_in();
  void expression_form(Form form);
  Expression named(ExpressionPool& pool);
  void use(const Result<Automaton>& automaton);
  void begin_formula();
  void end_formula(const Token& first);
  void finish();
  std::vector<std::string> event_names() const;

  TokenStream& in_;
  std::string_view text_;
  Property property_;
  std::optional<Token> formula_token_;
  std::optional<Quantifier> quantifier_;
  std::optional<Token> created_;  // 'created'
  std::vector<Token> creating_;   // the names of events that create a monitor
};

Property PropertyParser::property() {
  const size_t begin = in_.peek().offset;
  in_.expect("property", "'property' and its name");
  property_.where = in_.place();
  property_.name = in_.expect_word("the name of the property");
  in_.expect("{");
  while (!in_.failed() && !in_.peek().is("}")) statement();
  const size_t end = in_.peek().offset + 1;
  in_.expect("}");
  if (!in_.failed()) {
    property_.text = text_.substr(begin, end - begin);
    finish();
  }
  return std::move(property_);
}

void PropertyParser::statement() {
  if (in_.accept("about")) {
    property_.about = in_.expect_text("a text in quotes that says what the property is about");
    in_.expect(";");
  } else if (in_.accept("event")) {
    event();
  } else if (in_.accept("for")) {
    parameters();
  } else if (in_.peek().is("created")) {
    created();
  } else if (in_.accept("in")) {
    if (in_.accept("some")) {
      in_.expect("run");
      quantifier_ = Quantifier::some_run;
    } else if (in_.expect("all", "'all runs' or 'some run'")) {
      in_.expect("runs");
      quantifier_ = Quantifier::all_runs;
    }
    in_.expect(";");
  } else if (!formula() && !in_.failed()) {
    const Token found = in_.peek();
    if (found.kind == Token::Kind::word) {
      const std::vector<std::string> known(std::begin(kStatements), std::end(kStatements));
      if (const auto near = closest(found.text, known)) {
        in_.complain(
            Diagnostic{fmt::format("'{}' is no statement of a property", found.text), in_.place()}
                .with_note(fmt::format("did you mean '{}'?", *near)));
        return;
      }
    }
    in_.expected(
        "'event', 'for each', a formula ('pattern', 'never', 'ltl', 'past', 'nesting', "
        "...) or '}'");
  }
}

std::vector<std::string> PropertyParser::event_names() const {
  std::vector<std::string> names;
  names.reserve(property_.events.size());
  for (const EventPattern& e : property_.events) names.push_back(e.name);
  return names;
}

void PropertyParser::event() {
  const std::string where = in_.place();
  if (formula_token_) {
    return in_.complain(where, "events come before the formula that uses them");
  }
  EventPattern e = EventParser(in_).event();
  if (in_.failed()) return;
  const std::vector<std::string> known = event_names();
  if (std::ranges::find(known, e.name) != known.end()) {
    return in_.complain(where, fmt::format("there is an event '{}' already", e.name));
  }
  if (known.size() == kMostEvents) {
    return in_.complain(where, fmt::format("more than {} events", kMostEvents));
  }
  property_.events.push_back(std::move(e));
}

void PropertyParser::parameters() {
  in_.expect("each");
  do {
    property_.parameters.push_back(in_.expect_word("the name of a parameter"));
  } while (!in_.failed() && in_.accept(","));
  in_.expect(";", "',' or ';'");
}

// created by A, B;
void PropertyParser::created() {
  const Token word = in_.take();
  if (created_) {
    return in_.complain(in_.place_of(word), "a property has one 'created by', and this is another");
  }
  created_ = word;
  in_.expect("by", "'by'");
  do {
    creating_.push_back(in_.peek());
    in_.expect_word("the name of an event");
  } while (!in_.failed() && in_.accept(","));
  in_.expect(";", "',' or ';'");
}

// What comes before the first creating event does not count.
void PropertyParser::begin_at_creation() {
  if (!property_.automaton) {
    return in_.complain(in_.place_of(*created_),
                        "'created by' goes with 'pattern', 'never', 'ltl' and the short words for "
                        "them, not with this formula");
  }
  const std::vector<std::string> names = event_names();
  EventSet events = 0;
  std::string text;
  for (const Token& token : creating_) {
    const auto it = std::ranges::find(names, token.text);
    if (it == names.end()) {
      return in_.complain(in_.place_of(token), fmt::format("property '{}' has no event '{}'",
                                                           property_.name, token.text));
    }
    events |= EventSet{1} << (it - names.begin());
    text += fmt::format("{}{}", text.empty() ? "" : ", ", token.text);
  }
  std::vector<bool> creates;
  for (Letter letter = 0; letter < property_.alphabet->size(); ++letter) {
    creates.push_back(((*property_.alphabet)[letter] & events) != 0);
  }
  property_.automaton = std::make_shared<Automaton>(created_by(*property_.automaton, creates));
  property_.formula += fmt::format(", created by {}", text);
}

// Which events can come together: those that speak of one kind of step and one object.
std::vector<size_t> groups_of(const std::vector<EventPattern>& events) {
  std::vector<size_t> groups(events.size());
  for (size_t i = 0; i < events.size(); ++i) {
    groups[i] = i;
    for (size_t j = 0; j < i; ++j) {
      if (events[j].source != events[i].source) continue;
      const bool same = events[j].object == events[i].object || events[j].object.empty() ||
                        events[i].object.empty();
      if (same) std::ranges::replace(groups, groups[i], groups[j]);
    }
  }
  return groups;
}

void PropertyParser::begin_formula() {
  if (formula_token_) {
    return in_.complain(in_.place(), "a property has one formula, and this is the second one");
  }
  formula_token_ = in_.take();
  if (property_.events.empty()) {
    return in_.complain(in_.place_of(*formula_token_),
                        "the formula speaks of no event: declare events before it");
  }
  const std::vector<size_t> groups = groups_of(property_.events);
  for (size_t group : groups) {
    if (std::ranges::count(groups, group) <= static_cast<ptrdiff_t>(kMostTogether)) continue;
    return in_.complain(
        property_.events[group].where,
        fmt::format("more than {} events speak of the same thing as this one", kMostTogether));
  }
  property_.alphabet = std::make_shared<Alphabet>(event_names(), groups);
}

void PropertyParser::end_formula(const Token& first) {
  const size_t end = in_.peek().offset;
  std::string_view written = text_.substr(first.offset, end - first.offset);
  while (!written.empty() && std::isspace(static_cast<unsigned char>(written.back()))) {
    written.remove_suffix(1);
  }
  property_.formula = written;
  in_.expect(";", "';' or more of the formula");
}

void PropertyParser::use(const Result<Automaton>& automaton) {
  if (in_.failed()) return;
  if (!automaton) {
    Diagnostic why = automaton.error();
    why.where = in_.place_of(*formula_token_);
    return in_.complain(std::move(why));
  }
  property_.automaton = std::make_shared<Automaton>(*automaton);
  if (automaton->states[0].verdict == Verdict::violated) {
    in_.complain(in_.place_of(*formula_token_),
                 "no run can satisfy this formula, not even the "
                 "empty one");
  }
}

// pattern E [at end];  never E [from start];
void PropertyParser::expression_form(Form form) {
  property_.form = form;
  ExpressionPool pool;
  const std::vector<std::string> names = event_names();
  Expression e = FormulaParser(in_, names).expression(pool);
  if (form == Form::pattern) {
    if (in_.accept("at")) {
      in_.expect("end", "'end'");
      property_.whole = true;
    }
    use(prefix_monitor(pool, e, *property_.alphabet, property_.whole));
  } else {
    const bool total = in_.accept("from");
    if (total) in_.expect("start", "'start'");
    if (!total) e = pool.sequence(pool.all(), e);
    use(never_monitor(pool, e, *property_.alphabet));
  }
}

Expression PropertyParser::named(ExpressionPool& pool) {
  const std::vector<std::string> names = event_names();
  return pool.one_of(FormulaParser(in_, names).event());
}

// Short words for patterns that are often wanted.
bool PropertyParser::built_in() {
  ExpressionPool pool;
  const std::string word = in_.peek().text;
  if (word != "alternate" && word != "exclusive" && word != "resource" && word != "after") {
    return false;
  }
  begin_formula();
  if (in_.failed()) return true;
  if (word == "after") {  // after A never B
    const Expression first = named(pool);
    in_.expect("never");
    const Expression second = named(pool);
    property_.form = Form::never;
    use(never_monitor(
        pool, pool.sequence(pool.all(), pool.sequence(first, pool.sequence(pool.all(), second))),
        *property_.alphabet));
    return true;
  }
  // resource OPEN USE CLOSE: only what is open is used, and it is closed once.
  // alternate A B, exclusive ENTER LEAVE: the second follows each first before the next one.
  const Expression first = named(pool);
  const Expression middle = word == "resource" ? pool.repeated(named(pool)) : pool.empty();
  const Expression last = named(pool);
  use(prefix_monitor(pool, pool.repeated(pool.sequence(first, pool.sequence(middle, last))),
                     *property_.alphabet, false));
  return true;
}

bool PropertyParser::formula() {
  const Token first = in_.peek();
  const std::vector<std::string> names = event_names();
  FormulaParser formulas(in_, names);
  if (first.is("pattern") || first.is("never")) {
    begin_formula();
    if (!in_.failed()) expression_form(first.is("pattern") ? Form::pattern : Form::never);
  } else if (first.is("ltl") || first.is("past")) {
    begin_formula();
    if (in_.failed()) return true;
    const Formula f = formulas.formula();
    const bool future = first.is("ltl");
    property_.form = future ? Form::future : Form::past;
    if (!in_.failed() && (future ? has_past(f) : has_future(f))) {
      in_.complain(in_.place_of(first),
                   future ? "'ltl' looks forward; 'previously', 'once', 'since' and "
                            "'historically' belong to 'past'"
                          : "'past' looks back; 'next', 'until', 'always' and 'eventually' belong "
                            "to 'ltl'. That the formula holds at every step needs no 'always'");
    } else if (future) {
      use(future_monitor(f, *property_.alphabet));
    } else {
      property_.past = f;
      if (auto made = PastMonitor::make(f, *property_.alphabet); !made && !in_.failed()) {
        in_.complain(in_.place_of(first), made.error().message);
      }
    }
  } else if (first.is("nesting")) {
    begin_formula();
    if (in_.failed()) return true;
    property_.form = Form::grammar;
    property_.grammar = formulas.grammar();
    if (in_.accept("at")) {
      in_.expect("end", "'end'");
      property_.whole = true;
    }
    if (in_.failed()) return true;
    auto made = GrammarMonitor::make(property_.grammar, *property_.alphabet, property_.whole);
    if (!made) in_.complain(std::move(made).error());
  } else if (first.is("atomic")) {
    begin_formula();
    if (in_.failed()) return true;
    property_.form = Form::atomic;
    property_.begin = formulas.event();
    property_.end = formulas.event();
    if (!quantifier_) property_.quantifier = Quantifier::some_run;
  } else if (!built_in()) {
    return false;
  }
  if (!in_.failed()) end_formula(first);
  return true;
}

// What only the whole property shows.
void PropertyParser::finish() {
  if (!formula_token_) {
    return in_.complain(property_.where,
                        fmt::format("property '{}' has no formula", property_.name));
  }
  if (quantifier_) property_.quantifier = *quantifier_;
  if (created_) begin_at_creation();
  if (in_.failed()) return;
  for (const std::string& parameter : property_.parameters) {
    const bool taken = std::ranges::any_of(property_.events, [&](const EventPattern& e) {
      const std::vector<std::string> names = names_of(e);
      return std::ranges::find(names, parameter) != names.end();
    });
    if (taken) continue;
    return in_.complain(property_.where,
                        fmt::format("no event of property '{}' takes its parameter '{}'",
                                    property_.name, parameter));
  }
}

}  // namespace

std::unique_ptr<Monitor> Property::monitor() const {
  switch (form) {
    case Form::pattern:
    case Form::never:
    case Form::future:
      return std::make_unique<AutomatonMonitor>(automaton);
    case Form::past:
      return std::move(*PastMonitor::make(past, *alphabet));
    case Form::grammar:
      return std::move(*GrammarMonitor::make(grammar, *alphabet, whole));
    case Form::atomic:
      return std::make_unique<AtomicityMonitor>(begin, end, *alphabet);
  }
  return nullptr;
}

Result<Specification> parse(std::string_view text, const std::string& file) {
  FORETELL_TRY(tokens, tokens_of(text, file));
  TokenStream in(std::move(tokens), file);
  Specification specification;
  while (!in.failed() && in.peek().kind != Token::Kind::end) {
    Property property = PropertyParser(in, text).property();
    if (!in.failed() && std::ranges::find(specification.properties, property.name,
                                          &Property::name) != specification.properties.end()) {
      in.complain(property.where, fmt::format("there is a property '{}' already", property.name));
    }
    specification.properties.push_back(std::move(property));
  }
  if (in.failed()) return std::unexpected(*in.failure());
  if (specification.properties.empty()) return fail_at(file, "the file has no property");
  return specification;
}

Result<Specification> read(const std::string& file) {
  FORETELL_TRY(input, InputFile::open(file));
  return parse(input.bytes(), file);
}

}  // namespace foretell::property_language
