// SPDX-License-Identifier: Apache-2.0

// Interner: strings to dense typed ids and back.
//
// The strings live in a deque, so views handed out stay valid for the interner's lifetime.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace foretell {

template <class Id>
class Interner {
 public:
  Interner() = default;
  Interner(Interner&&) noexcept = default;
  Interner& operator=(Interner&&) noexcept = default;
  // The keys of a copy point into its own strings.
  Interner(const Interner& other) : texts_(other.texts_) {
    for (size_t i = 0; i < texts_.size(); ++i) ids_.emplace(texts_[i], static_cast<Id>(i));
  }
  Interner& operator=(const Interner& other) { return *this = Interner(other); }

  Id intern(std::string_view text) {
    if (auto it = ids_.find(text); it != ids_.end()) return it->second;
    const Id id = static_cast<Id>(texts_.size());
    ids_.emplace(texts_.emplace_back(text), id);
    return id;
  }

  // The id of `text`, or `absent` if it was never interned.
  Id find(std::string_view text, Id absent) const {
    auto it = ids_.find(text);
    return it == ids_.end() ? absent : it->second;
  }

  std::string_view operator[](Id id) const { return texts_[static_cast<size_t>(id)]; }
  bool contains(Id id) const { return static_cast<size_t>(id) < texts_.size(); }
  size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;
  absl::flat_hash_map<std::string_view, Id> ids_;
};

}  // namespace foretell
