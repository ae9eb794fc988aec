// SPDX-License-Identifier: Apache-2.0

// A place in an object of a known debug type, and how a person writes it: byte offsets become members and elements.
// Members with reserved names (std::vector's _M_start) are left out.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/DebugInfoMetadata.h>

#include <cstdint>
#include <string>

namespace foretell::pass {

// A value: its text and type. `object`: a pointer that is written like what it points at, as the
// result of v[i] is.
struct Term {
  std::string text;
  const llvm::DIType* type = nullptr;
  bool object = false;
};

// Memory at `offset` bytes in an object of `type`. The object is `text`, or what the pointer
// `text` points at. `dimension` counts the array indices already written.
struct Place {
  std::string text;
  const llvm::DIType* type = nullptr;
  bool through_pointer = false;
  bool inside = false;  // an unnamed member was entered: `text` cannot be indexed any more
  int64_t offset = 0;
  unsigned dimension = 0;
};

// What a pointer points at.
Place dereference(Term pointer);
// Adds an index over elements of `stride` bytes.
void element(Place& place, const std::string& index, uint64_t stride);
// Goes down to the smallest member that holds `size` bytes at the place.
Term finish(Place place, uint64_t size);
// What a person would write for the mutex, condition, ... of that type that begins at the place;
// empty if the place is one, or holds none.
std::string synchronizer_at(Place place, llvm::StringRef type);

}  // namespace foretell::pass
