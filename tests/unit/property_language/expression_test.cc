// SPDX-License-Identifier: Apache-2.0

#include "property_language/expression.h"

#include <gtest/gtest.h>

#include <memory>

#include "words.h"

namespace foretell::property_language {
namespace {

// An expression as a tree, and what it matches by definition.
struct Tree {
  char op = '0';  // 0 1 . e(vent) ; | & * !
  EventSet events = 0;
  std::vector<Tree> parts = {};
};

bool matches(const Tree& t, const Word& word, size_t from, size_t to) {
  switch (t.op) {
    case '1':
      return from == to;
    case '.':
      return to == from + 1;
    case 'e':
      return to == from + 1 && (t.events & word[from]) != 0;
    case ';':
      for (size_t mid = from; mid <= to; ++mid) {
        if (matches(t.parts[0], word, from, mid) && matches(t.parts[1], word, mid, to)) return true;
      }
      return false;
    case '|':
      return matches(t.parts[0], word, from, to) || matches(t.parts[1], word, from, to);
    case '&':
      return matches(t.parts[0], word, from, to) && matches(t.parts[1], word, from, to);
    case '*':
      if (from == to) return true;
      for (size_t mid = from + 1; mid <= to; ++mid) {
        if (matches(t.parts[0], word, from, mid) && matches(t, word, mid, to)) return true;
      }
      return false;
    case '!':
      return !matches(t.parts[0], word, from, to);
    default:
      return false;
  }
}

Expression in_pool(ExpressionPool& pool, const Tree& t) {
  auto part = [&](size_t i) { return in_pool(pool, t.parts[i]); };
  switch (t.op) {
    case '1':
      return pool.empty();
    case '.':
      return pool.any();
    case 'e':
      return pool.one_of(t.events);
    case ';':
      return pool.sequence(part(0), part(1));
    case '|':
      return pool.either(part(0), part(1));
    case '&':
      return pool.both(part(0), part(1));
    case '*':
      return pool.repeated(part(0));
    case '!':
      return pool.complement(part(0));
    default:
      return pool.none();
  }
}

Tree random_tree(RandomFormulas& random, int depth, unsigned events) {
  constexpr std::string_view kOps = ";;;||&**!";
  if (depth == 0 || random.below(6) == 0) {
    const unsigned leaf = random.below(8);
    if (leaf == 0) return {'0'};
    if (leaf == 1) return {'1'};
    if (leaf == 2) return {'.'};
    return {'e', EventSet{1} << random.below(events)};
  }
  Tree t{kOps[random.below(kOps.size())]};
  const size_t count = t.op == '*' || t.op == '!' ? 1 : 2;
  for (size_t i = 0; i < count; ++i) t.parts.push_back(random_tree(random, depth - 1, events));
  return t;
}

uint32_t state_after(const Automaton& automaton, const std::vector<Letter>& word) {
  uint32_t state = 0;
  for (Letter letter : word) state = automaton.states[state].next[letter];
  return state;
}

Word events_of(const Alphabet& alphabet, const std::vector<Letter>& letters) {
  Word word;
  for (Letter letter : letters) word.push_back(alphabet[letter]);
  return word;
}

void check_against_definition(unsigned first, unsigned count) {
  // Events 0 and 1 may come together.
  const Alphabet alphabet({"a", "b", "c"}, {0, 0, 2});
  for (unsigned seed = first; seed < first + count; ++seed) {
    RandomFormulas random(seed, 3);
    const Tree tree = random_tree(random, 4, 3);
    ExpressionPool pool;
    const Expression e = in_pool(pool, tree);
    const auto matcher = matcher_of(pool, e, alphabet);
    const auto prefixes = prefix_monitor(pool, e, alphabet, true);
    const auto never = never_monitor(pool, e, alphabet);
    ASSERT_TRUE(matcher && prefixes && never) << seed;
    const Automaton small = minimized(*matcher);
    ASSERT_LE(small.states.size(), matcher->states.size());
    for_each_word(alphabet, 4, [&](const std::vector<Letter>& letters) {
      const Word word = events_of(alphabet, letters);
      const bool expected = matches(tree, word, 0, word.size());
      ASSERT_EQ(matcher->states[state_after(*matcher, letters)].may_end, expected) << seed;
      ASSERT_EQ(small.states[state_after(small, letters)].may_end, expected) << seed;
      const Automaton::State& state = prefixes->states[state_after(*prefixes, letters)];
      if (expected) ASSERT_NE(state.verdict, Verdict::violated) << seed;
      if (state.verdict != Verdict::violated) ASSERT_EQ(state.may_end, expected) << seed;
      bool met = false;
      for (size_t to = 0; to <= word.size(); ++to) met = met || matches(tree, word, 0, to);
      ASSERT_EQ(never->states[state_after(*never, letters)].verdict == Verdict::violated, met)
          << seed;
    });
  }
}

TEST(ExpressionMonitors, AgreeWithTheDefinition) {
  check_against_definition(0, 60);
}
TEST(ExpressionMonitors, AgreeWithTheDefinitionOnMore) {
  check_against_definition(1000, 60);
}

// Two different states of a minimal automaton are told apart by some word.
TEST(Minimized, HasNoTwoStatesThatAgree) {
  const Alphabet alphabet({"a", "b"});
  for (unsigned seed = 0; seed < 100; ++seed) {
    RandomFormulas random(seed, 2);
    ExpressionPool pool;
    const auto matcher = matcher_of(pool, in_pool(pool, random_tree(random, 4, 2)), alphabet);
    ASSERT_TRUE(matcher);
    const Automaton small = minimized(*matcher);
    const size_t n = small.states.size();
    std::vector<std::vector<bool>> apart(n, std::vector<bool>(n));
    for (size_t round = 0; round <= n; ++round) {
      for (size_t s = 0; s < n; ++s) {
        for (size_t t = 0; t < n; ++t) {
          if (small.states[s].may_end != small.states[t].may_end) apart[s][t] = true;
          for (Letter a = 0; a < alphabet.size(); ++a) {
            if (apart[small.states[s].next[a]][small.states[t].next[a]]) apart[s][t] = true;
          }
        }
      }
    }
    for (size_t s = 0; s < n; ++s) {
      for (size_t t = 0; t < n; ++t) ASSERT_EQ(apart[s][t], s != t) << seed;
    }
  }
}

TEST(Derivatives, OfEqualExpressionsAreOneNode) {
  ExpressionPool pool;
  const Expression a = pool.one_of(1), b = pool.one_of(2);
  EXPECT_EQ(pool.either(a, b), pool.either(b, a));
  EXPECT_EQ(pool.either(a, a), a);
  EXPECT_EQ(pool.either(pool.either(a, b), a), pool.either(a, b));
  EXPECT_EQ(pool.sequence(pool.sequence(a, b), a), pool.sequence(a, pool.sequence(b, a)));
  EXPECT_EQ(pool.complement(pool.complement(a)), a);
  EXPECT_EQ(pool.repeated(pool.repeated(a)), pool.repeated(a));
  EXPECT_EQ(pool.both(a, pool.all()), a);
  EXPECT_EQ(pool.either(a, pool.none()), a);
}

}  // namespace
}  // namespace foretell::property_language
