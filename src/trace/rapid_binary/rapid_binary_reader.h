// SPDX-License-Identifier: Apache-2.0

// Reader of the 64-bit-per-event binary traces of public suites (RAPID).
//
//   header, 18 bytes, big-endian: u16 threads, u32 locks, u32 variables, u64 events
//   then one big-endian u64 per event:
//     bits  0-9   thread
//     bits 10-13  operation: acq rel r w fork join begin end req
//     bits 14-47  operand: lock, variable or thread; the block of begin and end
//     bits 48-62  source location
//
// Threads are called T0, T1, ..., locks L0, variables V0, blocks B0; a site is its number. Numbers
// must lie below the counts of the header. The counts themselves are not trusted with memory. A
// file that is not as long as its header says is read as far as both go, with a warning.
#pragma once

#include <memory>
#include <string_view>

#include "trace/reader.h"

namespace foretell::trace {

std::unique_ptr<TraceReader> make_rapid_binary_reader(InputFile file);

// Whether `bytes` are exactly as long as the header they begin with says.
bool is_whole_rapid_binary(std::string_view bytes);

}  // namespace foretell::trace
