// SPDX-License-Identifier: Apache-2.0

// The file that names contended memory: what a run found, and what the next one records.
//
// Text, one line for each stretch of memory, in no order; numbers are decimal:
//
//   foretell-contended 1
//   global OFFSET SIZE PATH     of the program or a library, from where it is loaded
//   heap KEY OFFSET SIZE        of every allocation with that key: the site of the call, and a hash
//                               of the calls that led to it
//   stack THREAD OFFSET SIZE    from the top of the stack, so negative; what the system keeps there
//                               of a thread, its thread-local variables too, counts
//   tls OFFSET SIZE             thread-local variables of the first thread, from its thread pointer
//   found COUNT                 granules that became contended; 0: all that is contended was
//                               recorded
//   unnamed COUNT               of these, granules that none of the lines describes
//   gave-up                     more threads lived at once than can be watched, or there was memory
//                               of which the shadow is the same
//   unfinished                  the run goes on, or was killed
//
// Names do not depend on addresses or on the schedule, so the same cells are recorded again under
// every schedule, and a schedule can count their accesses.
#pragma once

namespace foretell::recording {

inline constexpr char kContendedTitle[] = "foretell-contended 1";
// A run writes what it found to the file of its recording with this behind its name.
inline constexpr char kContendedSuffix[] = ".contended";

}  // namespace foretell::recording
