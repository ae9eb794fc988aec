// SPDX-License-Identifier: Apache-2.0

// What is true of theorems 1 and 4 of SLICED. They say that every permutation that respects sliced
// causality, and every consistent run, is one of an execution; that is not so (docs/papers.md). The
// converse holds, and is what makes the relation worth anything: whatever a correct reordering does
// to the events of a property is a permutation that respects sliced causality (theorem 1) and a
// consistent run (theorem 4), so no execution that keeps its writers is missed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/race/sliced/consistent_runs.h"
#include "explorer.h"
#include "free_reads.h"
#include "property.h"
#include "trace/lock_sections.h"

namespace foretell::oracle {
namespace {

using analysis::sliced::Causality;
using analysis::sliced::ConsistentRuns;
using analysis::sliced::Dependences;
using analysis::sliced::Filter;
using analysis::sliced::Importance;
using analysis::sliced::Statements;

struct Seen {
  size_t reorderings = 0, orders = 0, cuts = 0;
};

std::string order_fault(const trace::Trace& trace, const Causality& causality,
                        std::span<const Position> order, Seen& seen) {
  std::vector<bool> happened(trace.events.size());
  for (Position later : order) {
    for (Position p = 0; p < trace.events.size(); ++p) {
      if (causality.importance[p] == Importance::none || p == later) continue;
      if (causality.importance[later] == Importance::none) continue;
      if (!causality.is_before(trace.events, p, later)) continue;
      ++seen.orders;
      if (!happened[p]) return fmt::format("{} happens before {}", later, p);
    }
    happened[later] = true;
  }
  return "";
}

std::string run_fault(const trace::Trace& trace, const ConsistentRuns& runs, const Filter& filter,
                      std::span<const Position> order, Seen& seen) {
  ConsistentRuns::Cut cut = runs.initial();
  for (Position p : order) {
    if (!filter.is_relevant(trace.events[p])) continue;
    const std::vector<size_t> enabled = runs.enabled(cut);
    if (std::ranges::find(enabled, p) == enabled.end()) return fmt::format("{} is not enabled", p);
    cut = runs.with(std::move(cut), p);
    ++seen.cuts;
    if (!runs.is_consistent(cut)) return fmt::format("the cut after {} is not consistent", p);
  }
  return "";
}

std::string reorderings_are_runs(const trace::Trace& trace, bool with_values, Seen& seen) {
  Statements statements(trace.tables.facts.statements,
                        [&](LocationId id) { return trace.cells[id].range; });
  const Dependences dependences(trace.events, statements);
  // Acquires and releases are relevant, as lock atomicity needs it.
  const Filter filter{[](const trace::Event& e) {
                        return is_access(e.kind) || begins_section(e.kind) || ends_section(e.kind);
                      },
                      with_values};
  const Causality causality = offline_causality(trace.events, dependences, filter);
  const ConsistentRuns runs(trace.events, causality, filter);
  std::string fault;
  const Semantics semantics(trace);
  for_each_reordering(semantics, [&](std::span<const Position> order) {
    if (!fault.empty()) return;
    ++seen.reorderings;
    fault = order_fault(trace, causality, order, seen);
    if (fault.empty()) fault = run_fault(trace, runs, filter, order, seen);
  });
  return fault;
}

TEST(SlicedVsOracle, EveryReorderingIsAConsistentRun) {
  for (const bool with_values : {false, true}) {
    Seen seen;
    expect_property("sliced-runs", race_profile(), {.traces = 200, .most_events = 8},
                    [&](const trace::Trace& plain, Dice& dice) {
                      trace::Trace trace = plain;
                      add_random_statements(trace, dice);
                      return reorderings_are_runs(trace, with_values, seen);
                    });
    EXPECT_GT(seen.reorderings, 1000u);
    EXPECT_GT(seen.orders, 1000u);
    EXPECT_GT(seen.cuts, 1000u);
  }
}

}  // namespace
}  // namespace foretell::oracle
