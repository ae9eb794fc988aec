// SPDX-License-Identifier: Apache-2.0

// Freed memory that the allocator does not get back yet.
//
// A block whose address is given out again at once hides a use after free: the access by the old
// pointer falls into the new block. So small blocks wait here, first in first out, until newer ones
// need the room. Only threads that take recorded steps in the controlled mode come here, one at a
// time.
#pragma once

#include <stddef.h>

namespace foretell::rt {

// Takes the block instead of the allocator, or leaves it to the caller: false.
bool keep_back(void* memory);

// Hands the block to the allocator after all, if it is here. For a block that is freed a second
// time: the allocator then sees both calls, and says so.
bool give_back(void* memory);

}  // namespace foretell::rt
