// SPDX-License-Identifier: Apache-2.0

// closest: what somebody who mistyped a word may have meant.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace foretell {

// Letters that must be inserted, removed, replaced or swapped with their neighbor to get from one
// word to the other (optimal string alignment).
size_t typing_distance(std::string_view a, std::string_view b);

// The candidate that is nearest to `word`, if one is near: at most a third of its letters differ.
std::optional<std::string> closest(std::string_view word, std::span<const std::string> candidates);

}  // namespace foretell
