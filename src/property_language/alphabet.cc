// SPDX-License-Identifier: Apache-2.0

#include "property_language/alphabet.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace foretell::property_language {
namespace {

std::vector<size_t> each_alone(size_t count) {
  std::vector<size_t> groups(count);
  std::iota(groups.begin(), groups.end(), size_t{0});
  return groups;
}

}  // namespace

Alphabet::Alphabet(std::vector<std::string> names, const std::vector<size_t>& groups)
    : names_(std::move(names)) {
  CHECK(names_.size() <= kMostEvents && groups.size() == names_.size());
  std::vector<bool> done(groups.size());
  for (size_t i = 0; i < groups.size(); ++i) {
    if (done[i]) continue;
    std::vector<size_t> together;
    for (size_t j = i; j < groups.size(); ++j) {
      if (groups[j] != groups[i]) continue;
      together.push_back(j);
      done[j] = true;
    }
    CHECK(together.size() <= kMostTogether);
    for (uint32_t subset = 1; subset < 1u << together.size(); ++subset) {
      EventSet events = 0;
      for (size_t k = 0; k < together.size(); ++k) {
        if (subset >> k & 1) events |= EventSet{1} << together[k];
      }
      letters_.push_back(events);
    }
  }
}

Alphabet::Alphabet(std::vector<std::string> names) : Alphabet(names, each_alone(names.size())) {}

Letter Alphabet::letter(EventSet events) const {
  const auto it = std::ranges::find(letters_, events);
  CHECK(it != letters_.end());
  return static_cast<Letter>(it - letters_.begin());
}

std::string Alphabet::text(Letter letter) const {
  std::string text;
  for (EventSet rest = letters_[letter]; rest != 0; rest &= rest - 1) {
    text += (text.empty() ? "" : " and ") + names_[static_cast<size_t>(std::countr_zero(rest))];
  }
  return text;
}

}  // namespace foretell::property_language
