// SPDX-License-Identifier: Apache-2.0

#include "report/determinism_table.h"

#include <fmt/format.h>

#include <set>

namespace foretell::report {
namespace {

std::string percent(uint64_t part, uint64_t whole) {
  if (whole == 0) return "0 (0)";
  const double share = 100 * static_cast<double>(part) / static_cast<double>(whole);
  return fmt::format("{} ({:.1f})", part, share);
}

constexpr const char* kRow =
    "{:<16} {:>4} {:>7} {:>6} {:>6} {:>7} {:>7} {:>6} {:>10} {:>16} {:>15} {:>13} {:>9} {:>8} "
    "{:>8} "
    "{:>15} {:>16} {:>7}\n";

constexpr const char* kSummaryRow =
    "{:<20} {:>10} {:>10} {:>16} {:>15} {:>15} {:>9} {:>8} {:>8} {:>15} {:>16} {:>7}\n";

std::string per_witness(double graphs, const analysis::WitnessCounts& counts) {
  if (counts.with_choice == 0) return "-";
  return fmt::format("{:.4g}", graphs / static_cast<double>(counts.with_choice));
}

}  // namespace

std::string determinism_table_head() {
  return fmt::format(kRow, "trace", "thrs", "evs", "l-evs", "l-vars", "rw-evs", "rw-vars", "wn-evs",
                     "possible", "cycle (%)", "no choice (%)", "choice (%)", "graphs", "explored",
                     "time s", "feasible (%)", "infeasible (%)", "per wit");
}

std::string determinism_table_row(std::string_view name, const trace::Trace& trace,
                                  const analysis::DeterminismResult& result) {
  std::set<ThreadId> threads;
  std::set<LockId> locks;
  std::set<LocationId> variables;
  const std::vector<bool> shared = analysis::shared_locations(trace);
  uint64_t lock_events = 0, accesses = 0, waits = 0;
  for (const trace::Event& e : trace.events) {
    threads.insert(e.thread);
    const trace::Operands operands = operands_of(e.kind);
    if (operands == trace::Operands::Lock) {
      ++lock_events;
      locks.insert(e.lock());
    } else if (operands == trace::Operands::Wait || operands == trace::Operands::Wake ||
               operands == trace::Operands::Notify) {
      ++waits;
    } else if (is_access(e.kind) && shared[to_index(e.location())]) {
      ++accesses;
      variables.insert(e.location());
    }
  }
  const analysis::WitnessCounts &w = result.witnesses, &c = result.choices;
  return fmt::format(kRow, name, threads.size(), trace.events.size(), lock_events, locks.size(),
                     accesses, variables.size(), waits, w.possible, percent(c.cycles, c.possible),
                     percent(c.no_choice, c.possible), percent(c.with_choice, c.possible),
                     per_witness(c.possible_choice_graphs, c),
                     per_witness(static_cast<double>(c.explored_choice_graphs), c),
                     fmt::format("{:.4f}", result.seconds), percent(w.feasible, w.possible),
                     percent(w.infeasible(), w.possible),
                     fmt::format("{:.3f}", c.graphs_per_witness()));
}

void DeterminismSummary::add(const analysis::DeterminismResult& result) {
  Category& category = categories_[result.choices.with_choice > 0 ? 1 : 0];
  ++category.traces;
  category.witnesses += result.witnesses;
  category.choices += result.choices;
  category.seconds += result.seconds;
}

std::string DeterminismSummary::text() const {
  std::string text = fmt::format(kSummaryRow, "category", "benchmarks", "possible", "cycle (%)",
                                 "no choice (%)", "choice (%)", "graphs", "explored", "time s",
                                 "feasible (%)", "infeasible (%)", "per wit");
  constexpr std::string_view kNames[] = {"phase I sufficient", "both phases required"};
  for (size_t i = 0; i < std::size(kNames); ++i) {
    const Category& category = categories_[i];
    const analysis::WitnessCounts &w = category.witnesses, &c = category.choices;
    text += fmt::format(
        kSummaryRow, kNames[i], category.traces, w.possible, percent(c.cycles, c.possible),
        percent(c.no_choice, c.possible), percent(c.with_choice, c.possible),
        per_witness(c.possible_choice_graphs, c),
        per_witness(static_cast<double>(c.explored_choice_graphs), c),
        fmt::format("{:.4f}", category.seconds), percent(w.feasible, w.possible),
        percent(w.infeasible(), w.possible), fmt::format("{:.3f}", c.graphs_per_witness()));
  }
  return text;
}

}  // namespace foretell::report
