// SPDX-License-Identifier: Apache-2.0

// Properties: what a specification file says, checked and ready to be monitored.
//
//   property alternation {
//     about "suspend and resume alternate";
//     event suspend = call suspend(c);
//     event resume  = call resume(c);
//     for each c;
//     pattern (suspend resume)*;
//   }
//
// docs/properties.md is the manual, and has the grammar.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "property_language/alphabet.h"
#include "property_language/events.h"
#include "property_language/monitor.h"

namespace foretell::property_language {

// What the formula of a property is.
enum class Form : uint8_t {
  pattern,  // each run is a prefix of what the expression matches
  never,    // no run has a part that the expression matches
  future,   // LTL
  past,     // past-time LTL, at each step
  grammar,  // each run is a prefix of what the grammar makes
  atomic,   // nobody else comes between the begin and the end of a block
};

enum class Quantifier : uint8_t { all_runs, some_run };

struct Property {
  std::string name;
  std::string about = {};  // for reports; may be empty
  std::vector<EventPattern> events = {};
  std::vector<std::string> parameters = {};
  Quantifier quantifier = Quantifier::all_runs;
  Form form = Form::pattern;
  bool whole = false;        // a run must also end well
  std::string formula = {};  // as written
  std::string where = {};    // "file:line:column" of its name
  std::string text = {};     // the whole of it, as written

  std::shared_ptr<const Alphabet> alphabet = {};
  std::shared_ptr<const Automaton> automaton = {};  // pattern, never, future
  Formula past = {};
  Grammar grammar = {};
  EventSet begin = 0, end = 0;  // atomic

  std::unique_ptr<Monitor> monitor() const;
};

struct Specification {
  std::vector<Property> properties;
};

// `file` is what places in messages begin with.
Result<Specification> parse(std::string_view text, const std::string& file);
Result<Specification> read(const std::string& file);

}  // namespace foretell::property_language
