// SPDX-License-Identifier: Apache-2.0

// ReadDemand: what a read of a reordering must have in common with what it was in the trace.
//
// A thread goes the way it went as long as its reads return the values they returned. The strictest
// demand is the easiest to trust and predicts least; docs/semantics.md defines all three, and what
// each of them assumes of the program.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace foretell::trace {

enum class ReadDemand : uint8_t {
  same_writer,  // the write is the same event
  same_value,   // the value is the same, whoever wrote it
  free,         // reads that nothing kept depends on may return anything
};

// "same-writer", "same-value", "free".
std::string_view word_of(ReadDemand demand);
std::optional<ReadDemand> read_demand_named(std::string_view word);

}  // namespace foretell::trace
