// SPDX-License-Identifier: Apache-2.0

// Properties: ordered pairs of key and value, the form in which files keep the facts about a run. In
// the process these facts are typed (trace/run_facts.h).
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace foretell::trace {

class Properties {
 public:
  struct Row {
    std::string key, value;

    bool operator==(const Row&) const = default;
  };

  // A key keeps the place it was first given.
  void set(std::string_view key, std::string value) {
    auto it = std::ranges::find(rows_, key, &Row::key);
    if (it == rows_.end()) {
      rows_.push_back({std::string(key), std::move(value)});
    } else {
      it->value = std::move(value);
    }
  }

  std::optional<std::string_view> find(std::string_view key) const {
    auto it = std::ranges::find(rows_, key, &Row::key);
    if (it == rows_.end()) return std::nullopt;
    return it->value;
  }

  const std::vector<Row>& rows() const { return rows_; }

  bool operator==(const Properties&) const = default;

 private:
  std::vector<Row> rows_;
};

}  // namespace foretell::trace
