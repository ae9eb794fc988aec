// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "property_language/property.h"

namespace foretell::property_language {
namespace {

Property only(std::string_view text) {
  auto parsed = parse(text, "p");
  EXPECT_TRUE(parsed) << parsed.error().to_text();
  return parsed ? std::move(parsed->properties.at(0)) : Property{};
}

std::string error_of(std::string_view text) {
  const auto parsed = parse(text, "p");
  return parsed ? "none" : parsed.error().to_text();
}

// The verdict after a run given by names of events; "end" at the end asks whether it may end there.
std::string verdict_of(const Property& property, const std::vector<std::string>& run) {
  const auto monitor = property.monitor();
  Monitor::State state = monitor->initial();
  for (const std::string& name : run) {
    if (name == "end") return monitor->may_end(state) ? "may end" : "must go on";
    for (size_t i = 0; i < property.events.size(); ++i) {
      if (property.events[i].name == name) {
        state = monitor->next(state, property.alphabet->letter(EventSet{1} << i), 0);
      }
    }
  }
  switch (monitor->verdict(state)) {
    case Verdict::violated:
      return "violated";
    case Verdict::satisfied:
      return "satisfied";
    case Verdict::inconclusive:
      break;
  }
  return "open";
}

std::string with_events(std::string_view formula) {
  return "property p { event a = user a; event b = user b; event c = user c; " +
         std::string(formula) + " }";
}

struct Case {
  std::string_view formula;
  std::vector<std::string> run;
  std::string_view verdict;
};

class Formulas : public testing::TestWithParam<Case> {};

TEST_P(Formulas, HaveTheVerdict) {
  const Case& c = GetParam();
  EXPECT_EQ(verdict_of(only(with_events(c.formula)), c.run), c.verdict) << c.formula;
}

INSTANTIATE_TEST_SUITE_P(
    Patterns, Formulas,
    testing::Values(
        Case{"pattern (a b)*;", {"a", "b", "a"}, "open"},
        Case{"pattern (a b)*;", {"a", "a"}, "violated"}, Case{"pattern (a b)*;", {"b"}, "violated"},
        Case{"pattern (a b)*;", {"a", "end"}, "may end"},
        Case{"pattern (a b)* at end;", {"a", "end"}, "must go on"},
        Case{"pattern (a b)* at end;", {"a", "b", "end"}, "may end"},
        Case{"pattern a+ b? c;", {"a", "a", "c"}, "open"},
        Case{"pattern a+ b? c;", {"c"}, "violated"}, Case{"pattern a | b c;", {"b", "c"}, "open"},
        Case{"pattern a | b c;", {"a", "c"}, "violated"},
        Case{"pattern !(. * b . *);", {"a", "c"}, "open"},
        Case{"pattern !(. * b . *);", {"a", "b"}, "violated"},
        Case{"pattern . * a & . . ;", {"b", "a"}, "open"},
        Case{"pattern . * a & . . ;", {"b", "b"}, "violated"},
        Case{"pattern . *;", {"a"}, "satisfied"}, Case{"never a a;", {"a", "b", "a"}, "open"},
        Case{"never a a;", {"b", "a", "a"}, "violated"},
        Case{"never a a from start;", {"b", "a", "a"}, "satisfied"},
        Case{"never a a from start;", {"a", "a"}, "violated"}));
INSTANTIATE_TEST_SUITE_P(BuiltIns, Formulas,
                         testing::Values(Case{"alternate a b;", {"a", "b", "a"}, "open"},
                                         Case{"alternate a b;", {"a", "b", "b"}, "violated"},
                                         Case{"exclusive a b;", {"a", "a"}, "violated"},
                                         Case{"resource a b c;", {"a", "b", "b", "c", "a"}, "open"},
                                         Case{"resource a b c;", {"b"}, "violated"},
                                         Case{"resource a b c;", {"a", "c", "b"}, "violated"},
                                         Case{"after a never b;", {"b", "a", "c"}, "open"},
                                         Case{"after a never b;", {"a", "c", "b"}, "violated"},
                                         Case{"atomic a b;", {"a", "c", "b"}, "open"}));
INSTANTIATE_TEST_SUITE_P(
    Creation, Formulas,
    testing::Values(Case{"created by a; pattern (a b)*;", {"b", "c", "a", "b"}, "open"},
                    Case{"created by a; pattern (a b)*;", {"b", "a", "a"}, "violated"},
                    Case{"pattern (a b)*; created by b;", {"a", "b"}, "violated"},
                    Case{"created by a, c; never a b;", {"b", "c", "a", "b"}, "violated"},
                    Case{"created by a; ltl !b;", {"b", "a"}, "satisfied"},
                    Case{"created by a; pattern a b at end;", {"c", "end"}, "may end"},
                    Case{"created by a; pattern a b at end;", {"c", "a", "end"}, "must go on"}));
INSTANTIATE_TEST_SUITE_P(
    Temporal, Formulas,
    testing::Values(Case{"ltl [](a -> next b);", {"c", "a", "b"}, "open"},
                    Case{"ltl [](a -> next b);", {"a", "c"}, "violated"},
                    Case{"ltl always (a implies eventually b);", {"a", "c"}, "open"},
                    Case{"ltl eventually c;", {"a", "c"}, "satisfied"},
                    Case{"ltl !b until a;", {"c", "b"}, "violated"},
                    Case{"ltl !b until a;", {"c", "a"}, "satisfied"},
                    Case{"ltl a release !b;", {"b"}, "violated"},
                    Case{"ltl (a || b) && !c;", {"c"}, "violated"},
                    Case{"ltl (a or b) and not c;", {"a"}, "satisfied"},
                    Case{"ltl a <-> b;", {"c"}, "satisfied"},
                    Case{"past b -> once a;", {"a", "c", "b"}, "open"},
                    Case{"past b -> once a;", {"b"}, "violated"},
                    Case{"past b -> <*> a;", {"b"}, "violated"},
                    Case{"past b -> previously a;", {"a", "b"}, "open"},
                    Case{"past b -> (*) a;", {"a", "c", "b"}, "violated"},
                    Case{"past b -> !c since a;", {"a", "c", "b"}, "violated"},
                    Case{"past b -> !c since a;", {"c", "a", "b"}, "open"},
                    Case{"past b -> historically !c;", {"c", "b"}, "violated"},
                    Case{"past b -> [*] !c;", {"a", "b"}, "open"}));
INSTANTIATE_TEST_SUITE_P(
    Nesting, Formulas,
    testing::Values(
        Case{"nesting { S -> a S b S | empty; };", {"a", "a", "b", "b", "a"}, "open"},
        Case{"nesting { S -> a S b S | empty; };", {"a", "b", "b"}, "violated"},
        Case{"nesting { S -> a S b S | empty; } at end;", {"a", "end"}, "must go on"},
        Case{"nesting { S -> a S b S | empty; } at end;", {"a", "b", "end"}, "may end"},
        Case{"nesting { S -> a T S | empty; T -> b | c T; };", {"a", "c", "c", "b", "a"}, "open"},
        Case{"nesting { S -> a T S | empty; T -> b | c T; };", {"a", "a"}, "violated"}));

// Figure 14 of SLICED (its text has (suspend resume)* in 5.3): the generated monitor has a state
// for each half, and one for the error.
TEST(Figure14, TheMonitorOfSuspendAndResumeHasTwoStates) {
  const Property p = only(
      "property alternation { event suspend = call suspend(c); event resume = call resume(c); "
      "for each c; pattern (suspend resume)*; }");
  const Letter suspend = p.alphabet->letter(1), resume = p.alphabet->letter(2);
  const std::vector<Automaton::State>& states = p.automaton->states;
  ASSERT_EQ(states.size(), 3u);
  const uint32_t suspended = states[0].next[suspend], error = states[0].next[resume];
  EXPECT_EQ(states[error].verdict, Verdict::violated);
  EXPECT_EQ(states[suspended].next[resume], 0u);
  EXPECT_EQ(states[suspended].next[suspend], error);
  EXPECT_EQ(states[0].verdict, Verdict::inconclusive);
  EXPECT_EQ(states[suspended].verdict, Verdict::inconclusive);
}

TEST(Parser, TakesEverythingAnEventCanHave) {
  const Property p = only(R"--(# what for
property give_back {
  about "what is taken is given back";
  event take = return Pool::take(_, "name", 3) -> q by t where q != null and (t == 1 || !(q < 0));
  event give = call "Pool<int>::give(int)"(q);
  event size = write p->entry.size(v) where v >= 10;
  event locked = lock(l);
  event mutex = unlock pool.lock;
  for each q, t;
  in all runs;
  pattern (take give)*;
})--");
  ASSERT_EQ(p.events.size(), 5u);
  EXPECT_EQ(p.name, "give_back");
  EXPECT_EQ(p.about, "what is taken is given back");
  EXPECT_EQ(p.where, "p:2:10");
  EXPECT_EQ(p.formula, "pattern (take give)*");
  EXPECT_EQ(p.parameters, (std::vector<std::string>{"q", "t"}));
  EXPECT_EQ(p.events[0].source, Source::ret);
  EXPECT_EQ(p.events[0].object, "Pool::take");
  EXPECT_EQ(p.events[0].arguments->at(1).wanted, Value::of("name"));
  EXPECT_EQ(p.events[0].arguments->at(2).wanted, Value::of(3));
  EXPECT_EQ(p.events[1].object, "Pool<int>::give(int)");
  EXPECT_EQ(p.events[2].object, "p->entry.size");
  EXPECT_TRUE(p.events[3].object.empty());
  EXPECT_EQ(p.events[4].object, "pool.lock");
}

TEST(Parser, TakesSeveralProperties) {
  const auto parsed = parse(
      "property p { event a = user a; never a a; } property q { event a = user a; pattern a; }",
      "f");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->properties.size(), 2u);
}

TEST(Parser, CallsSomeRunTheDefaultOfAtomicOnly) {
  EXPECT_EQ(only(with_events("atomic a b;")).quantifier, Quantifier::some_run);
  EXPECT_EQ(only(with_events("in all runs; atomic a b;")).quantifier, Quantifier::all_runs);
  EXPECT_EQ(only(with_events("alternate a b;")).quantifier, Quantifier::all_runs);
}

TEST(Atomicity, LooksAtThreads) {
  const Property p = only(with_events("atomic a b;"));
  const auto monitor = p.monitor();
  auto step = [&](Monitor::State s, size_t event, uint32_t thread) {
    return monitor->next(s, p.alphabet->letter(EventSet{1} << event), thread);
  };
  const Monitor::State inside = step(monitor->initial(), 0, 1);
  EXPECT_EQ(monitor->verdict(step(inside, 2, 2)), Verdict::violated);
  EXPECT_EQ(monitor->verdict(step(step(inside, 1, 1), 2, 2)), Verdict::inconclusive);
}

struct Mistake {
  std::string_view text;
  std::string_view error;
};
class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreShownWhereTheyAre) {
  EXPECT_EQ(error_of(GetParam().text), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Parser, Mistakes,
    testing::Values(
        Mistake{"", "p: error: the file has no property\n"},
        Mistake{"proprety x {}",
                "p:1:1: error: expected 'property' and its name, found 'proprety'\n"},
        Mistake{"property x {",
                "p:1:13: error: expected 'event', 'for each', a formula ('pattern', "
                "'never', 'ltl', 'past', 'nesting', ...) or '}', found the end of "
                "the file\n"},
        Mistake{
            "property x { evnt a = user a; }",
            "p:1:14: error: 'evnt' is no statement of a property\nnote: did you mean 'event'?\n"},
        Mistake{"property x { event a = user a;\n  pattern (a b)*; }",
                "p:2:14: error: there is no event 'b' in this property\n"},
        Mistake{"property x { event open = user a; pattern opne; }",
                "p:1:43: error: there is no event 'opne' in this property\nnote: did you mean "
                "'open'?\n"},
        Mistake{"property x { event a = user a; pattern (a; }",
                "p:1:42: error: expected ')', found ';'\n"},
        Mistake{"property x { event a = user a; pattern a }",
                "p:1:42: error: expected ';' or more of the formula, found '}'\n"},
        Mistake{"property x { event a = user a; }", "p:1:10: error: property 'x' has no formula\n"},
        Mistake{"property x { event a = call; pattern a; }",
                "p:1:28: error: expected a name after 'call', found ';'\n"},
        Mistake{"property x { event a = lock(l, m); pattern a; }",
                "p:1:29: error: 'lock' has at most 1 argument\n"},
        Mistake{"property x { event a = call f -> v; pattern a; }",
                "p:1:31: error: only 'return' has a result\n"},
        Mistake{
            "property x { event a = call f(p) where q == 0; pattern a; }",
            "p:1:20: error: the condition of 'a' asks for 'q', which the event does not take\n"},
        Mistake{"property x { event a = call f(p) where p; pattern a; }",
                "p:1:41: error: expected a comparison: ==, !=, <, <=, > or >=, found ';'\n"},
        Mistake{"property x { event a = user a; for each q; pattern a; }",
                "p:1:10: error: no event of property 'x' takes its parameter 'q'\n"},
        Mistake{"property x { event a = user a; event a = user b; pattern a; }",
                "p:1:38: error: there is an event 'a' already\n"},
        Mistake{"property x { event until = user a; pattern a; }",
                "p:1:20: error: 'until' is a word of the language; choose another name\n"},
        Mistake{"property x { event a = user a; pattern none; }",
                "p:1:32: error: no run can satisfy this formula, not even the empty one\n"},
        Mistake{"property x { event a = user a; never a*; }",
                "p:1:32: error: no run can satisfy this formula, not even the empty one\n"},
        Mistake{"property x { event a = user a; ltl once a; }",
                "p:1:32: error: 'ltl' looks forward; 'previously', 'once', 'since' and "
                "'historically' belong to 'past'\n"},
        Mistake{
            "property x { event a = user a; nesting { S -> S a | empty; }; }",
            "p:1:42: error: rule 'S' begins with itself; put the repetition at the end, like 'S "
            "-> open S close S | empty'\n"},
        Mistake{"property x { event a = user a; nesting { S -> a S; }; }",
                "p:1:42: error: rule 'S' never comes to an end: each of its bodies needs itself\n"},
        Mistake{"property x { event a = user a; nesting { S -> a T; }; }",
                "p:1:49: error: 'T' is neither an event of this property nor a rule\n"},
        Mistake{"property x { event a = user a; pattern a; pattern a; }",
                "p:1:43: error: a property has one formula, and this is the second one\n"},
        Mistake{"property x { event a = user a; created by b; pattern a; }",
                "p:1:43: error: property 'x' has no event 'b'\n"},
        Mistake{"property x { event a = user a; created a; pattern a; }",
                "p:1:40: error: expected 'by', found 'a'\n"},
        Mistake{"property x { event a = user a; created by a; past once a; }",
                "p:1:32: error: 'created by' goes with 'pattern', 'never', 'ltl' and the short "
                "words for them, not with this formula\n"},
        Mistake{"property x { event a = user a; created by a; created by a; pattern a; }",
                "p:1:46: error: a property has one 'created by', and this is another\n"},
        Mistake{"property x { pattern a; }",
                "p:1:14: error: the formula speaks of no event: declare events before it\n"},
        Mistake{"property x { about \"no end;\n }",
                "p:1:20: error: the text that begins here has no closing '\"' on its line\n"},
        Mistake{"property x { event a = user a $; }",
                "p:1:31: error: '$' means nothing in a property\n"},
        Mistake{"property x { event a = user f(5z); pattern a; }",
                "p:1:31: error: '5z' is no number\n"}));

}  // namespace
}  // namespace foretell::property_language
