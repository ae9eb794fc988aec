// SPDX-License-Identifier: Apache-2.0

// What an observer can tell apart: the sign of a number, say (STATICDET 6.1). Two executions are
// weakly the same if their values lie in the same blocks.
//
// A set of values that may be in two blocks is never said to be in one; so the greatest element of a
// domain is in none (the document's definition 3 takes two equal elements for the same block).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "static_analysis/domain/floating.h"
#include "static_analysis/domain/number.h"

namespace foretell::static_analysis::domain {

class Observation {
 public:
  enum class Kind : uint8_t { sign, parity, remainder, buckets, constant };

  // "sign", "parity", "constant", "mod:3", "buckets:0,10,100": a bucket ends before each number.
  static Result<Observation> parse(std::string_view text);

  Kind kind() const { return kind_; }
  const std::string& name() const { return name_; }
  int64_t block_of(int64_t value) const;
  // The block that all the values are in; nothing if they may be in several.
  std::optional<int64_t> block_of(const Number& values) const;
  std::optional<int64_t> block_of(const Floating& values) const;
  std::string text_of(int64_t block) const;

 private:
  Observation(Kind kind, std::string name) : kind_(kind), name_(std::move(name)) {}

  Kind kind_;
  std::string name_;
  int64_t modulus_ = 0;
  std::vector<int64_t> ends_;
};

}  // namespace foretell::static_analysis::domain
