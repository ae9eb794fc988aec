// SPDX-License-Identifier: Apache-2.0

// Formulas of linear temporal logic over the events of a property.
//
// A run is a word of letters; an event holds at a step if the step's letter contains it. Formulas
// of the future look forward and get one of three verdicts of a finite run (future.h); formulas of
// the past look back and must hold at each step (past.h).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "property_language/alphabet.h"

namespace foretell::property_language {

enum class Operator : uint8_t {
  truth,
  event,     // `events`: one of them
  negation,  // of the first part
  both,      // of two parts
  either,
  // Future.
  next,
  until,    // the second part comes, and the first holds until then
  release,  // the second part holds up to and including where the first does, or forever
  // Past.
  previously,  // held one step before; false at the first step
  since,       // the second part held at some step, and the first at each step after it
};

struct Formula {
  Operator op{};
  EventSet events = 0;
  std::vector<Formula> parts = {};

  bool operator==(const Formula&) const = default;
};

inline Formula truth() {
  return {Operator::truth};
}
inline Formula event_of(EventSet events) {
  return {Operator::event, events};
}
inline Formula negation(Formula f) {
  if (f.op == Operator::negation) return std::move(f.parts[0]);
  return {.op = Operator::negation, .parts = {std::move(f)}};
}
inline Formula falsity() {
  return negation(truth());
}
inline Formula combined(Operator op, Formula a, Formula b) {
  return {.op = op, .parts = {std::move(a), std::move(b)}};
}
inline Formula both(Formula a, Formula b) {
  return combined(Operator::both, std::move(a), std::move(b));
}
inline Formula either(Formula a, Formula b) {
  return combined(Operator::either, std::move(a), std::move(b));
}
inline Formula next(Formula f) {
  return {.op = Operator::next, .parts = {std::move(f)}};
}
inline Formula until(Formula a, Formula b) {
  return combined(Operator::until, std::move(a), std::move(b));
}
inline Formula release(Formula a, Formula b) {
  return combined(Operator::release, std::move(a), std::move(b));
}
inline Formula eventually(Formula f) {
  return until(truth(), std::move(f));
}
inline Formula always(Formula f) {
  return release(falsity(), std::move(f));
}
inline Formula previously(Formula f) {
  return {.op = Operator::previously, .parts = {std::move(f)}};
}
inline Formula since(Formula a, Formula b) {
  return combined(Operator::since, std::move(a), std::move(b));
}
inline Formula once(Formula f) {
  return since(truth(), std::move(f));
}
inline Formula historically(Formula f) {
  return negation(once(negation(std::move(f))));
}

bool has_future(const Formula& formula);
bool has_past(const Formula& formula);

}  // namespace foretell::property_language
