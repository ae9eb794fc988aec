// SPDX-License-Identifier: Apache-2.0

// Random expressions, formulas and words, and what they mean by definition.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "property_language/alphabet.h"
#include "property_language/formula.h"

namespace foretell::property_language {

using Word = std::vector<EventSet>;

inline Word word_of(const Alphabet& alphabet, const std::string& letters) {
  Word word;
  for (char c : letters) word.push_back(alphabet[static_cast<Letter>(c - 'a')]);
  return word;
}

// All words of up to `length` letters.
inline void for_each_word(const Alphabet& alphabet, size_t length,
                          const std::function<void(const std::vector<Letter>&)>& visit) {
  std::vector<Letter> word;
  std::function<void()> go_on = [&] {
    visit(word);
    if (word.size() == length) return;
    for (Letter letter = 0; letter < alphabet.size(); ++letter) {
      word.push_back(letter);
      go_on();
      word.pop_back();
    }
  };
  go_on();
}

// The truth of a past formula at position `at`, from the definition.
inline bool holds_at(const Formula& f, const Word& word, size_t at) {
  auto part = [&](size_t i, size_t where) { return holds_at(f.parts[i], word, where); };
  switch (f.op) {
    case Operator::truth:
      return true;
    case Operator::event:
      return (f.events & word[at]) != 0;
    case Operator::negation:
      return !part(0, at);
    case Operator::both:
      return part(0, at) && part(1, at);
    case Operator::either:
      return part(0, at) || part(1, at);
    case Operator::previously:
      return at > 0 && part(0, at - 1);
    case Operator::since:
      for (size_t i = at + 1; i-- > 0;) {
        if (part(1, i)) return true;
        if (!part(0, i)) return false;
      }
      return false;
    default:
      return false;
  }
}

// The truth of a future formula at position `at` of the endless word stem loop loop loop ...
// Truths repeat with the loop, so `until` needs to look no further than once around it.
inline bool holds_forever(const Formula& f, const Word& stem, const Word& loop, size_t at) {
  const size_t length = stem.size() + loop.size();
  auto after = [&](size_t i) { return i + 1 < length ? i + 1 : stem.size(); };
  auto part = [&](size_t i, size_t where) { return holds_forever(f.parts[i], stem, loop, where); };
  switch (f.op) {
    case Operator::truth:
      return true;
    case Operator::event:
      return (f.events & (at < stem.size() ? stem[at] : loop[at - stem.size()])) != 0;
    case Operator::negation:
      return !part(0, at);
    case Operator::both:
      return part(0, at) && part(1, at);
    case Operator::either:
      return part(0, at) || part(1, at);
    case Operator::next:
      return part(0, after(at));
    case Operator::until: {
      size_t i = at;
      for (size_t steps = 0; steps <= length; ++steps, i = after(i)) {
        if (part(1, i)) return true;
        if (!part(0, i)) return false;
      }
      return false;
    }
    case Operator::release: {
      size_t i = at;
      for (size_t steps = 0; steps <= length; ++steps, i = after(i)) {
        if (!part(1, i)) return false;
        if (part(0, i)) return true;
      }
      return true;
    }
    default:
      return false;
  }
}

class RandomFormulas {
 public:
  RandomFormulas(unsigned seed, unsigned events) : random_(seed), events_(events) {}
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  Formula past(int depth) {
    return make(
        depth,
        [&](unsigned choice) -> Formula {
          if (choice == 0) return previously(past(depth - 1));
          if (choice == 1) return since(past(depth - 1), past(depth - 1));
          if (choice == 2) return once(past(depth - 1));
          return historically(past(depth - 1));
        },
        [&] { return past(depth - 1); });
  }
  Formula future(int depth) {
    return make(
        depth,
        [&](unsigned choice) -> Formula {
          if (choice == 0) return next(future(depth - 1));
          if (choice == 1) return until(future(depth - 1), future(depth - 1));
          if (choice == 2) return eventually(future(depth - 1));
          return release(future(depth - 1), future(depth - 1));
        },
        [&] { return future(depth - 1); });
  }

 private:
  Formula make(int depth, const std::function<Formula(unsigned)>& temporal,
               const std::function<Formula()>& smaller) {
    if (depth == 0 || below(5) == 0) return event_of(EventSet{1} << below(events_));
    switch (below(7)) {
      case 0:
        return negation(smaller());
      case 1:
        return both(smaller(), smaller());
      case 2:
        return either(smaller(), smaller());
      default:
        return temporal(below(4));
    }
  }
  std::mt19937 random_;
  unsigned events_;
};

}  // namespace foretell::property_language
