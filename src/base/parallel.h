// SPDX-License-Identifier: Apache-2.0

// A parallel loop over independent work of uneven size.
#pragma once

#include <cstddef>
#include <functional>

namespace foretell {

// Calls body(i) for every i below count, on up to `jobs` threads (0: one per core). Returns when all
// calls have returned. What was written before is seen by every call, and what calls wrote is seen
// after. The calls themselves run at once.
void parallel_for(size_t count, size_t jobs, const std::function<void(size_t)>& body);

}  // namespace foretell
