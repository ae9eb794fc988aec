// SPDX-License-Identifier: Apache-2.0

// Sets of bytes of an object.
#pragma once

#include <cstdint>
#include <map>

#include "program/code.h"

namespace foretell::symbolic {

// Disjoint intervals of bytes, by their beginnings.
class Intervals {
 public:
  bool overlaps(uint64_t begin, uint64_t end) const {
    auto at = by_begin_.lower_bound(end);
    return at != by_begin_.begin() && (--at)->second > begin;
  }
  void add(uint64_t begin, uint64_t end) {
    remove(begin, end);
    if (begin < end) by_begin_[begin] = end;
  }
  void remove(uint64_t begin, uint64_t end) {
    auto at = by_begin_.lower_bound(end);
    while (at != by_begin_.begin()) {
      --at;
      const auto [from, to] = *at;
      if (to <= begin) break;
      at = by_begin_.erase(at);
      if (end < to) at = by_begin_.emplace(end, to).first;
      if (from < begin) at = by_begin_.emplace(from, begin).first;
      if (from < begin) break;
    }
  }
  bool empty() const { return by_begin_.empty(); }
  const std::map<uint64_t, uint64_t>& all() const { return by_begin_; }

 private:
  std::map<uint64_t, uint64_t> by_begin_;
};

// Whether one of the bytes that `may` stands for is in [begin, end).
inline bool may_overlap(const program::AbstractBytes& may, uint64_t begin, uint64_t end) {
  if (may.size == program::AbstractBytes::kToTheEnd || may.stride == 1)
    return may.offset < end || may.stride;
  if (may.stride == 0) return may.offset < end && begin < may.offset + may.size;
  // Some offset + k * stride within (begin - size, end), for any k.
  const uint64_t first = begin >= may.size ? begin - may.size + 1 : 0;
  const uint64_t residue = may.offset % may.stride;
  const uint64_t next = first + (residue + may.stride - first % may.stride) % may.stride;
  return next < end;
}

}  // namespace foretell::symbolic
