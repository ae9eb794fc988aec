// The one definition of "correct reordering" (docs/semantics.md), as a checker.
//
// Everything Foretell calls Predicted went through check_reordering: analyses and the witness
// builder may be clever, the checker is not. It runs in release builds too.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace foretell {

// Position of an event in Trace::events. (Event::index is its position in the input.)
using Position = uint32_t;

// A sequence of events of a trace, by position.
using Interleaving = std::vector<Position>;

struct Violation {
  size_t step;  // which element of the interleaving
  std::string reason;
};

// Nothing if `order` is a correct reordering of the normalised trace, else the first violation.
std::optional<Violation> check_reordering(const Trace& trace, std::span<const Position> order);

// Nothing if `order`, without its last two elements, is a correct reordering after which these two
// are co-enabled clashing accesses.
std::optional<Violation> check_race_witness(const Trace& trace, std::span<const Position> order);

}  // namespace foretell
