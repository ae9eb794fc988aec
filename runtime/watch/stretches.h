// SPDX-License-Identifier: Apache-2.0

// Stretches: a set of offsets as few ranges, sorted and apart from each other.
//
// Room is limited. When it is used up, neighbors grow together over small gaps first: the set may
// have more than was added to it, never less.
#pragma once

#include <stdint.h>

namespace foretell::rt::watch {

struct Stretch {
  int64_t begin;
  int64_t end;
};

class Stretches {
 public:
  static constexpr uint32_t kMost = 1024;

  // False if there is no memory.
  bool add(Stretch stretch);
  const Stretch* begin() const { return at_; }
  const Stretch* end() const { return at_ + count_; }
  bool empty() const { return count_ == 0; }
  bool contains(Stretch stretch) const;

 private:
  bool grow();
  void close_gaps();

  Stretch* at_ = nullptr;
  uint32_t count_ = 0;
  uint32_t room_ = 0;
};

}  // namespace foretell::rt::watch
