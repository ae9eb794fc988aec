// SPDX-License-Identifier: Apache-2.0

// Which GoogleTest case ran when: the listener of include/foretell/gtest.h leaves a user event
// "test:Suite.Case" at the beginning (argument 1) and at the end (0) of each.
#pragma once

#include <string>
#include <vector>

#include "finding/result.h"
#include "trace/reader.h"

namespace foretell::test_runs {

class TestCases {
 public:
  // Reads all raw events of `reader` from where it stands.
  static Result<TestCases> read(trace::TraceReader& reader);

  // The case that ran at an event; empty outside of all.
  const std::string& at(EventIndex index) const;
  // Of a finding: where its accesses were made, "A.x", or "A.x and A.y" if a thread outlived its
  // case.
  std::string of(const finding::Finding& finding) const;
  // Every case that ran, in order.
  const std::vector<std::string>& names() const { return names_; }

 private:
  struct Mark {
    uint64_t index;
    std::string name;  // from here on; empty: none
  };
  std::vector<Mark> marks_;
  std::vector<std::string> names_;
};

}  // namespace foretell::test_runs
