// The checks of order/reordering.h for a caller that asks about one trace many times.
#pragma once

#include <optional>
#include <span>

#include "order/reordering.h"
#include "order/trace_facts.h"

namespace foretell {

std::optional<Violation> check_reordering(const TraceFacts& facts, std::span<const Position> order);
std::optional<Violation> check_race_witness(const TraceFacts& facts,
                                            std::span<const Position> order);

}  // namespace foretell
