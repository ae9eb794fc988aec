// SPDX-License-Identifier: Apache-2.0

// Elements of an array that two accesses cannot have in common, by what is known of the index.
//
// - Ranges: the bytes that one loop goes over end before those of the other begin, or the two take
//   turns: every fourth from 0, and every fourth from 1. By scalar evolution, for loops between
//   constants, as those of threads are that were given a copy of their own.
// - Drawn numbers: an index that an atomic counter hands out, or a counter that is only ever read and
//   increased in one critical section, is handed out once. (Numbers of 32 bits and more do not come
//   again: there are not that many draws.)
#pragma once

#include "static_analysis/races/analyses.h"
#include "static_analysis/races/pairs.h"

namespace foretell::static_analysis {

class Indices {
 public:
  explicit Indices(const PairRules& rules) : rules_(rules) {}

  bool keep_apart(const Access& a, const Access& b) const;
  // Whether a number comes from a counter that hands out each one once.
  bool is_drawn_once(const llvm::Value& number, const Access& at) const;

 private:
  // Bytes of an object: from at least `first` to before `end`; and if there is a step, only those
  // at a multiple of it from `first` and as long as the access.
  struct Range {
    bitcode::ObjectId object{};
    int64_t first = 0, end = 0;
    int64_t begin = 0;
    uint64_t step = 0;  // 0: unknown
  };
  std::optional<Range> range_of(const Access& access) const;

  // A number drawn from a counter, times a factor.
  struct Drawn {
    bitcode::ObjectId object{};
    bitcode::Target counter;
    const llvm::Instruction* draw = nullptr;
    int64_t factor = 0, from = 0, to = 0;
  };
  std::optional<Drawn> drawn_by(const Access& access) const;
  bool find_draw(const llvm::Value& number, Drawn& drawn) const;
  bool is_counter(const Drawn& a, const Access& at_a, const Drawn& b, const Access& at_b) const;
  bool draws(const llvm::Instruction& write, const bitcode::Target& counter) const;

  const PairRules& rules_;
  mutable LoopAnalysesCache analyses_;
  mutable std::map<const llvm::Instruction*, std::optional<Range>> ranges_;
};

}  // namespace foretell::static_analysis
