// SPDX-License-Identifier: Apache-2.0

// Reader of RoadRunner-style event lists: what its event printer writes between other output.
//
//   LINE  = '@' NAME '(' THREAD [ ',' OBJECT ] ')' [ SITE ]
//
//   NAME (in any case)              OBJECT        event
//   Rd Read  Wr Write               object.field  read, write
//   ARd AWr                         array[index]  read, write
//   VRd VolatileRd  VWr VolatileWr  object.field  atomic read, write (seq_cst)
//   Acquire Release                 lock          acquire, release
//   Fork Start  Join                thread        fork, join
//   Enter Exit                      method        function enter, exit
//   Wait PreWait  PostWait          lock          wait, wake: the lock is the condition too
//   Notify NotifyAll                lock          notify one, all
//   Begin End                       [label]       atomic block; "block" without a label
//
// Blanks are free around every part, as in `@     Acquire(0,@01)   Account.java:12`. Parentheses
// inside OBJECT are balanced (method signatures). SITE is the rest of the line, FILE:LINE[:COLUMN]
// or any text. Lines that do not look like `@ NAME(` are program output, and events with other
// names are of no concern here: both are skipped, counted, and reported as one warning each at the
// end of the trace.
#pragma once

#include <memory>
#include <string_view>

#include "trace/reader.h"

namespace foretell::trace {

std::unique_ptr<TraceReader> make_roadrunner_reader(InputFile file);

// Whether `line` is an event with a name listed above; the rest of it may still be malformed.
bool is_roadrunner_event(std::string_view line);

}  // namespace foretell::trace
