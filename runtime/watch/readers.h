// SPDX-License-Identifier: Apache-2.0

// Sets of epochs: who has read a granule, besides the one who did so last.
//
// Many granules are read by the same threads in the same segments, so sets are kept once and have
// numbers. They are never forgotten; when there are too many, adding to one fails.
#pragma once

#include "runtime/watch/clock.h"

namespace foretell::rt::watch {

inline constexpr uint32_t kNoReaders = 0;

// The set `readers`, and `last` in addition, without those that `clock` knows: whoever comes after
// the thread of that clock comes after them too. `epoch` is that thread's present one. False if
// there is no room for another set.
bool add_reader(uint32_t& readers, uint32_t last, uint32_t epoch, const Clock& clock);

// Whether the clock knows all of them.
bool knows_all(const Clock& clock, uint32_t readers);

void forget_readers();

}  // namespace foretell::rt::watch
