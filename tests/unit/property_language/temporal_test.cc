// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "property_language/future.h"
#include "property_language/monitor.h"
#include "words.h"

namespace foretell::property_language {
namespace {

TEST(PastMonitor, AgreesWithTheDefinition) {
  const Alphabet alphabet({"a", "b", "c"}, {0, 0, 2});
  for (unsigned seed = 0; seed < 150; ++seed) {
    const Formula f = RandomFormulas(seed, 3).past(4);
    auto monitor = PastMonitor::make(f, alphabet);
    ASSERT_TRUE(monitor);
    for_each_word(alphabet, 4, [&](const std::vector<Letter>& letters) {
      Word word;
      bool expected = true;
      Monitor::State state = (*monitor)->initial();
      for (Letter letter : letters) {
        word.push_back(alphabet[letter]);
        expected = expected && holds_at(f, word, word.size() - 1);
        state = (*monitor)->next(state, letter, 0);
      }
      ASSERT_EQ((*monitor)->verdict(state) != Verdict::violated, expected) << seed;
    });
  }
}

TEST(PastMonitor, HasAMinimalAutomatonThatAgrees) {
  const Alphabet alphabet({"a", "b"});
  for (unsigned seed = 0; seed < 60; ++seed) {
    auto monitor = PastMonitor::make(RandomFormulas(seed, 2).past(3), alphabet);
    const Reached reached = reached_states(**monitor, alphabet, 1000);
    ASSERT_TRUE(reached.is_complete);
    for_each_word(alphabet, 5, [&](const std::vector<Letter>& letters) {
      uint32_t drawn = 0;
      Monitor::State state = 0;
      for (Letter letter : letters) {
        drawn = reached.automaton.states[drawn].next[letter];
        state = (*monitor)->next(state, letter, 0);
      }
      ASSERT_EQ(reached.automaton.states[drawn].verdict == Verdict::violated,
                (*monitor)->verdict(state) == Verdict::violated);
    });
  }
}

// What the verdict claims of all continuations is true of all that repeat a short word, and what it
// leaves open is shown by two of them.
TEST(FutureMonitor, AgreesWithEndlessWords) {
  const Alphabet alphabet({"a", "b"});
  std::vector<Word> stems, loops;
  for_each_word(alphabet, 3, [&](const std::vector<Letter>& letters) {
    Word word;
    for (Letter letter : letters) word.push_back(alphabet[letter]);
    stems.push_back(word);
    if (!word.empty()) loops.push_back(word);
  });
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Formula f = RandomFormulas(seed, 2).future(3);
    const auto automaton = future_monitor(f, alphabet);
    ASSERT_TRUE(automaton) << seed;
    for_each_word(alphabet, 2, [&](const std::vector<Letter>& letters) {
      Word word;
      uint32_t state = 0;
      for (Letter letter : letters) {
        word.push_back(alphabet[letter]);
        state = automaton->states[state].next[letter];
      }
      bool can_hold = false, can_fail = false;
      for (const Word& stem : stems) {
        for (const Word& loop : loops) {
          if (can_hold && can_fail) break;
          Word whole = word;
          whole.insert(whole.end(), stem.begin(), stem.end());
          (holds_forever(f, whole, loop, 0) ? can_hold : can_fail) = true;
        }
      }
      const Verdict expected = !can_hold   ? Verdict::violated
                               : !can_fail ? Verdict::satisfied
                                           : Verdict::inconclusive;
      ASSERT_EQ(automaton->states[state].verdict, expected) << "seed " << seed;
    });
  }
}

Verdict verdict_of(const Formula& f, const Alphabet& alphabet, const std::vector<Letter>& word) {
  const auto automaton = future_monitor(f, alphabet);
  uint32_t state = 0;
  for (Letter letter : word) state = automaton->states[state].next[letter];
  return automaton->states[state].verdict;
}

TEST(FutureMonitor, HasThreeVerdicts) {
  const Alphabet alphabet({"a", "b"});
  const Formula a = event_of(1), b = event_of(2);
  EXPECT_EQ(verdict_of(eventually(b), alphabet, {0}), Verdict::inconclusive);
  EXPECT_EQ(verdict_of(eventually(b), alphabet, {0, 1}), Verdict::satisfied);
  EXPECT_EQ(verdict_of(always(a), alphabet, {0, 1}), Verdict::violated);
  EXPECT_EQ(verdict_of(until(a, b), alphabet, {0}), Verdict::inconclusive);
  // Never decided: no finite run has a word of it.
  EXPECT_EQ(verdict_of(always(eventually(b)), alphabet, {0, 1, 0}), Verdict::inconclusive);
}

// No finite run shows that `[] <> b && [] !b` cannot hold, but nothing satisfies it.
TEST(FutureMonitor, SeesThatAFormulaCannotHold) {
  const Alphabet alphabet({"a", "b"});
  const Formula b = event_of(2);
  EXPECT_EQ(verdict_of(both(always(eventually(b)), always(negation(b))), alphabet, {}),
            Verdict::violated);
}

}  // namespace
}  // namespace foretell::property_language
