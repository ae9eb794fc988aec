// SPDX-License-Identifier: Apache-2.0

// Alphabet: which of a property's events one step of a run can be at once.
//
// A step is mostly one event of the property, but two events may speak of the same function with
// different conditions. A letter is a set of events, as a mask; the letters of a property are the
// sets of events that speak of the same kind of step and object.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace foretell::property_language {

// A set of events, by their numbers.
using EventSet = uint32_t;
inline constexpr size_t kMostEvents = 32;
// Of events that may come together: 2^n - 1 letters.
inline constexpr size_t kMostTogether = 6;

using Letter = uint32_t;  // its number in the alphabet

class Alphabet {
 public:
  // `groups`: by event, which others it can come together with (the same number).
  Alphabet(std::vector<std::string> names, const std::vector<size_t>& groups);
  // Each event comes alone.
  explicit Alphabet(std::vector<std::string> names);

  size_t size() const { return letters_.size(); }
  EventSet operator[](Letter letter) const { return letters_[letter]; }
  // The letter with exactly these events, which must be one.
  Letter letter(EventSet events) const;
  const std::vector<std::string>& names() const { return names_; }
  // "suspend", "a and b".
  std::string text(Letter letter) const;

 private:
  std::vector<std::string> names_;
  std::vector<EventSet> letters_;
};

}  // namespace foretell::property_language
