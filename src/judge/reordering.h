// SPDX-License-Identifier: Apache-2.0

// The one definition of "correct reordering" (docs/semantics.md), as a checker.
//
// Everything Foretell calls Predicted went through check_reordering: analyses and the witness
// builder may be clever, the checker is not. It runs in release builds too.
//
// Of a Reordering only the steps are executed. Its recorded part needs no more: each of its events
// was executed and found enabled when the facts of the trace were gathered.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "judge/goal.h"
#include "judge/interleaving.h"
#include "trace/trace.h"

namespace foretell::judge {

struct Violation {
  size_t step;  // which element of the interleaving
  std::string reason;
};

// Nothing if `order` is a correct reordering of the normalized trace, else the first violation.
std::optional<Violation> check_reordering(const trace::Trace& trace,
                                          std::span<const Position> order);

// Nothing if `order`, without its last two elements, is a correct reordering after which these two
// are co-enabled clashing accesses.
std::optional<Violation> check_race_witness(const trace::Trace& trace,
                                            std::span<const Position> order);

// The same for a caller that asks about one trace many times.
std::optional<Violation> check_reordering(const TraceFacts& facts, const Reordering& order);
std::optional<Violation> check_race_witness(const TraceFacts& facts, const Reordering& order);

// Nothing if `order` is a correct reordering that contains `events` in this order.
std::optional<Violation> check_order_witness(const TraceFacts& facts, const Reordering& order,
                                             std::span<const Position> events);

// Nothing if `order`, without its last element, is a correct reordering that contains `events` in
// this order; its last element is a read, next in its thread and not kept from its location by
// allocation or frees; and the last write of that location is not the recorded one.
// With a `writer`: the last write is this one, kNoPosition standing for the initial value.
std::optional<Violation> check_read_witness(const TraceFacts& facts, const Reordering& order,
                                            std::span<const Position> events,
                                            std::optional<Position> writer = {});

// Nothing if `order`, without its last two elements, is a correct reordering after which these two
// are enabled acquires of one lock that exclude each other.
std::optional<Violation> check_meeting_witness(const TraceFacts& facts, const Reordering& order);

// Nothing if `order`, without its last `count` elements, is a correct reordering after which the
// threads of these are stuck there, a deadlock.
std::optional<Violation> check_deadlock_witness(const TraceFacts& facts, const Reordering& order,
                                                size_t count);

// The one of these that fits the goal; also that the witness ends with the goal's own events.
std::optional<Violation> check_witness(const TraceFacts& facts, const Goal& goal,
                                       const Reordering& order);

}  // namespace foretell::judge
