// SPDX-License-Identifier: Apache-2.0

// What a property calls an event: which steps of a run it means, and what it takes from them.
//
//   event give = call release(q, _) by t where q != null;
//
// names the calls of `release`, takes the first argument as `q` and the thread as `t`, and leaves
// out those whose first argument is null. Names that the property lists under `for each` are its
// parameters: there is one monitor for each combination of their values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretell::property_language {

enum class Source : uint8_t {
#define FORETELL_PROPERTY_SOURCE(source, ...) source,
#include "property_language/sources.def"
};

std::string_view word_of(Source source);
std::string_view text_of(Source source);
std::optional<Source> source_named(std::string_view word);

// A value as a run has it: text is compared with text, everything else by number.
struct Value {
  enum class Kind : uint8_t { unknown, number, real, text };
  Kind kind = Kind::unknown;
  int64_t number = 0;
  double real = 0;
  std::string text = {};

  static Value of(int64_t n) { return {Kind::number, n}; }
  static Value of_real(double r) { return {Kind::real, 0, r}; }
  static Value of(std::string_view t) { return {Kind::text, 0, 0, std::string(t)}; }
  // As arguments of user events are written: 5, 2.5, "text", word.
  static Value parse(std::string_view written);
  std::string to_text() const;

  bool operator==(const Value&) const = default;
};

// An argument: `_` takes anything, a name takes the value, a literal wants it.
struct Argument {
  std::string name = {};  // empty: none
  std::optional<Value> wanted = {};
};

enum class Comparison : uint8_t { equal, unequal, less, less_equal, greater, greater_equal };

// A condition on what an event takes: a tree of comparisons.
struct Condition {
  enum class Kind : uint8_t { comparison, both, either, negation };
  struct Operand {
    std::string name = {};
    Value value = {};
  };
  Kind kind = Kind::comparison;
  Comparison comparison{};
  Operand left = {}, right = {};
  std::vector<Condition> parts = {};
};

struct EventPattern {
  std::string name;
  Source source{};
  std::string object = {};                              // function, variable, lock, ...; empty: any
  std::optional<std::vector<Argument>> arguments = {};  // none: however many there are
  Argument result = {};                                 // of `return`
  Argument thread = {};
  std::optional<Condition> condition = {};
  std::string where = {};  // "file:line:column" of the name
};

// What a name of an event pattern stands for in one step of a run. Null: it has no such value.
class Values {
 public:
  virtual ~Values() = default;
  virtual const Value* find(std::string_view name) const = 0;
};

// False, too, if a value it asks for is not known.
bool holds(const Condition& condition, const Values& values);

// Names that the pattern takes.
std::vector<std::string> names_of(const EventPattern& pattern);
std::vector<std::string> names_in(const Condition& condition);

}  // namespace foretell::property_language
