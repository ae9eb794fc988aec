// SPDX-License-Identifier: Apache-2.0

// Monitor: watches one run of one binding of a property, a step at a time.
//
// States are numbers; equal numbers mean that the runs so far cannot be told apart by what comes.
// A monitor may make its states as they are needed, so it belongs to one thread at a time.
//
//   AutomatonMonitor  expressions, formulas of the future: a minimal automaton
//   PastMonitor       formulas of the past: the truth of each part at the last step, linear in the
//                     formula for each step (Havelund and Rosu, "Synthesizing monitors for safety
//                     properties", TACAS 2002)
//   GrammarMonitor    context-free patterns: what may still come, as a set of stacks
//   AtomicityMonitor  the document's hand-written one: between the begin and the end of a block no
//                     event is of another thread (SLICED 5.3)
// A monitor of your own derives from Monitor.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "property_language/automaton.h"
#include "property_language/formula.h"

namespace foretell::property_language {

class Monitor {
 public:
  using State = uint32_t;

  virtual ~Monitor() = default;
  virtual State initial() = 0;
  // After a step of thread `thread`. A violated state stays violated.
  virtual State next(State state, Letter letter, uint32_t thread) = 0;
  virtual Verdict verdict(State state) const = 0;
  // Whether a run may end here.
  virtual bool may_end(State state) const = 0;
  // Whether it can still be violated; true if that is not known.
  virtual bool is_at_risk(State state) const { return verdict(state) == Verdict::inconclusive; }
  // For people: "2", "in block of T1".
  virtual std::string name(State state) const = 0;
  // Whether states depend on which thread takes a step.
  virtual bool looks_at_threads() const { return false; }
};

class AutomatonMonitor final : public Monitor {
 public:
  explicit AutomatonMonitor(std::shared_ptr<const Automaton> automaton);
  State initial() override { return 0; }
  State next(State state, Letter letter, uint32_t) override {
    return automaton_->states[state].next[letter];
  }
  Verdict verdict(State state) const override { return automaton_->states[state].verdict; }
  bool may_end(State state) const override { return automaton_->states[state].may_end; }
  bool is_at_risk(State state) const override { return at_risk_[state]; }
  std::string name(State state) const override;

 private:
  std::shared_ptr<const Automaton> automaton_;
  std::vector<bool> at_risk_;
};

// The formula must hold at each step. At most 63 different parts.
class PastMonitor final : public Monitor {
 public:
  static Result<std::unique_ptr<PastMonitor>> make(const Formula& formula,
                                                   const Alphabet& alphabet);
  State initial() override { return 0; }
  State next(State state, Letter letter, uint32_t thread) override;
  Verdict verdict(State state) const override;
  bool may_end(State) const override { return true; }
  std::string name(State state) const override;

 private:
  struct Part {
    Operator op{};
    EventSet events = 0;
    int left = -1, right = -1;
    auto operator<=>(const Part&) const = default;
  };
  explicit PastMonitor(const Alphabet& alphabet) : alphabet_(alphabet) {}
  int add(const Formula& formula);
  uint64_t step(uint64_t before, bool is_first, EventSet letter) const;

  Alphabet alphabet_;
  std::vector<Part> parts_;  // each after those it is made of; the last one is the formula
  std::map<Part, int> numbers_;
  std::vector<uint64_t> states_;  // the truth of each part at the last step
  std::map<uint64_t, State> ids_;
};

// A context-free grammar. Symbols below `nonterminals` are rules, the others events.
struct Grammar {
  struct Symbol {
    bool is_rule = false;
    uint32_t number = 0;  // the rule, or the event
    auto operator<=>(const Symbol&) const = default;
  };
  struct Rule {
    std::string name;
    std::vector<std::vector<Symbol>> bodies = {};
    std::string where = {};
  };
  std::vector<Rule> rules;  // the first is the start
};

class GrammarMonitor final : public Monitor {
 public:
  // Fails if a rule begins with itself, directly or through others, or can never be finished.
  static Result<std::unique_ptr<GrammarMonitor>> make(Grammar grammar, const Alphabet& alphabet,
                                                      bool whole);
  State initial() override { return 0; }
  State next(State state, Letter letter, uint32_t thread) override;
  Verdict verdict(State state) const override;
  bool may_end(State state) const override;
  std::string name(State state) const override;

 private:
  // What must still come, its beginning last.
  using Stack = std::vector<Grammar::Symbol>;
  using Stacks = std::set<Stack>;

  GrammarMonitor(Grammar grammar, const Alphabet& alphabet, bool whole)
      : grammar_(std::move(grammar)), alphabet_(alphabet), whole_(whole) {}
  // Puts the stacks on `ready` that begin with an event, and the empty one.
  void expand(Stack stack, Stacks& ready, std::set<Stack>& seen) const;
  State intern(Stacks stacks);

  Grammar grammar_;
  Alphabet alphabet_;
  bool whole_;
  std::vector<Stacks> states_;
  std::map<Stacks, State> ids_;
};

class AtomicityMonitor final : public Monitor {
 public:
  AtomicityMonitor(EventSet begin, EventSet end, const Alphabet& alphabet)
      : begin_(begin), end_(end), alphabet_(alphabet) {}
  State initial() override { return 0; }
  State next(State state, Letter letter, uint32_t thread) override;
  Verdict verdict(State state) const override {
    return state == kViolated ? Verdict::violated : Verdict::inconclusive;
  }
  bool may_end(State state) const override { return state != kViolated; }
  std::string name(State state) const override;
  bool looks_at_threads() const override { return true; }

 private:
  static constexpr State kViolated = ~State{0};
  EventSet begin_, end_;
  Alphabet alphabet_;
};

// The states that can be reached, at most `most` of them, minimized if that was all. For monitors
// that do not look at threads.
struct Reached {
  Automaton automaton;
  std::vector<std::string> names;  // of the states, if it was not minimized
  bool is_complete = true;
};
Reached reached_states(Monitor& monitor, const Alphabet& alphabet, size_t most);

}  // namespace foretell::property_language
