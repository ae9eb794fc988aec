// SPDX-License-Identifier: Apache-2.0

// Location: memory that accesses name.
#pragma once

#include <cstdint>
#include <utility>

#include "base/ids.h"

namespace foretell::trace {

// `size` 0 is a variable without extent ("x"), which covers every range of its space. The space
// with the empty name is the address space: offset is an address.
struct Location {
  StringId space{};
  uint64_t offset = 0;
  uint64_t size = 0;

  bool operator==(const Location&) const = default;
  template <class H>
  friend H AbslHashValue(H state, const Location& l) {
    return H::combine(std::move(state), l.space, l.offset, l.size);
  }
};

}  // namespace foretell::trace
