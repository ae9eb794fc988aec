// SPDX-License-Identifier: Apache-2.0

// Extended regular expressions over the events of a property, with intersection and complement.
//
// Brzozowski's derivatives ("Derivatives of regular expressions", JACM 1964): the derivative of an
// expression by a letter describes what may follow that letter. Expressions are kept in a normal
// form (alternatives and intersections are sorted sets; neutral and absorbing parts are gone) in a
// pool where equal ones are one, so that only finitely many derivatives differ. Each is a state.
// Complement costs nothing here, while automata libraries determinize for it first. No library is
// used: the whole of it is shorter than the glue to one.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "property_language/automaton.h"

namespace foretell::property_language {

enum class Expression : uint32_t {};

class ExpressionPool {
 public:
  ExpressionPool();

  Expression none() const { return Expression{0}; }   // matches nothing
  Expression empty() const { return Expression{1}; }  // matches the empty run
  Expression any() const { return Expression{2}; }    // matches any one letter
  Expression all();                                   // matches everything
  // Matches one letter that contains one of these events.
  Expression one_of(EventSet events);
  Expression sequence(Expression first, Expression second);
  Expression either(Expression a, Expression b);
  Expression both(Expression a, Expression b);
  Expression repeated(Expression e);
  Expression complement(Expression e);

  bool matches_empty(Expression e) const { return nodes_[static_cast<size_t>(e)].matches_empty; }
  Expression derivative(Expression e, EventSet letter);

 private:
  enum class Op : uint8_t {
    none,
    empty,
    any,
    events,
    sequence,
    either,
    both,
    repeated,
    complement
  };
  struct Node {
    Op op{};
    EventSet events = 0;
    std::vector<Expression> parts = {};
    bool matches_empty = false;

    auto key() const { return std::tie(op, events, parts); }
    bool operator<(const Node& other) const { return key() < other.key(); }
  };

  Expression intern(Node node);
  Expression set_of(Op op, Expression a, Expression b);

  std::vector<Node> nodes_;
  std::map<Node, Expression> ids_;
  std::map<std::pair<Expression, EventSet>, Expression> derivatives_;
};

inline constexpr size_t kMostStates = 20'000;

// States by derivative; `may_end` says that the expression matches. Fails if there are more than
// kMostStates.
Result<Automaton> matcher_of(ExpressionPool& pool, Expression e, const Alphabet& alphabet);

// Violated where the run so far is no prefix of anything that `e` matches; `whole`: a run must also
// end where `e` matches.
Result<Automaton> prefix_monitor(ExpressionPool& pool, Expression e, const Alphabet& alphabet,
                                 bool whole);
// Violated as soon as `e` matches.
Result<Automaton> never_monitor(ExpressionPool& pool, Expression e, const Alphabet& alphabet);

}  // namespace foretell::property_language
