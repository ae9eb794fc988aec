// SPDX-License-Identifier: Apache-2.0

// Contended locations (docs/semantics.md): leaving out the plain accesses of all others changes no
// verdict, by brute force; and ContendedCells finds exactly those that the definition names.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "clocks/contended_cells.h"
#include "clocks/sync_edges.h"
#include "oracle.h"
#include "property.h"
#include "run_of.h"
#include "sync_preserving_class.h"

namespace foretell::oracle {
namespace {

std::unique_ptr<clocks::ContendedCells> contended_cells_of(const trace::Trace& trace) {
  auto cells = std::make_unique<clocks::ContendedCells>(
      [&](LocationId id) { return trace.cells[id].alloc; });
  cells->on_events(trace.events);
  cells->finish();
  return cells;
}

struct OnlyContended {
  trace::Trace trace;
  std::vector<Position> whole;  // by position: where it is in the whole trace
};

// Leaves out what may be, and of that only what `also` says.
template <class Choice>
OnlyContended leave_out(const trace::Trace& trace, Choice also) {
  const auto cells = contended_cells_of(trace);
  OnlyContended reduced{.trace = trace, .whole = {}};
  reduced.trace.events.clear();
  for (Position p = 0; p < trace.events.size(); ++p) {
    if (cells->leaves_out(trace.events[p]) && also(trace.events[p])) continue;
    reduced.trace.events.push_back(trace.events[p]);
    reduced.whole.push_back(p);
  }
  return reduced;
}

OnlyContended leave_out_all(const trace::Trace& trace) {
  return leave_out(trace, [](const trace::Event&) { return true; });
}

// What is true of the reduced trace, in positions of the whole one.
Truth truth_of(const OnlyContended& reduced) {
  const Truth truth = Oracle(reduced.trace).everything();
  const auto at = [&](Position p) { return reduced.whole[p]; };
  Truth mapped;
  for (const auto& [a, b] : truth.races) mapped.races.emplace(at(a), at(b));
  for (const auto& [a, b] : truth.meetings) mapped.meetings.emplace(at(a), at(b));
  for (std::vector<Position> deadlock : truth.deadlocks) {
    std::ranges::transform(deadlock, deadlock.begin(), at);
    mapped.deadlocks.insert(std::move(deadlock));
  }
  for (const auto& [read, writers] : truth.other_writers) {
    for (const auto& writer : writers) {
      mapped.other_writers[at(read)].insert(writer ? std::optional(at(*writer)) : std::nullopt);
    }
  }
  for (Position block : truth.violable_blocks) mapped.violable_blocks.insert(at(block));
  return mapped;
}

std::string difference(const Truth& whole, const Truth& rest) {
  if (whole.races != rest.races) {
    return fmt::format("{}without the others {}", to_text(whole.races), to_text(rest.races));
  }
  if (whole.deadlocks != rest.deadlocks) return "deadlocks differ";
  if (whole.meetings != rest.meetings) return "meetings differ";
  if (whole.other_writers != rest.other_writers) return "what reads can see differs";
  return whole.violable_blocks == rest.violable_blocks ? "" : "violable blocks differ";
}

std::string verdicts_agree(const trace::Trace& trace, Dice&) {
  return difference(Oracle(trace).everything(), truth_of(leave_out_all(trace)));
}

// Any part of what may be left out may be.
std::string verdicts_agree_for_a_part(const trace::Trace& trace, Dice& dice) {
  std::map<EventIndex, bool> chosen;
  const OnlyContended part = leave_out(trace, [&](const trace::Event& e) {
    return chosen.try_emplace(e.index, dice.one_in(2)).first->second;
  });
  return difference(Oracle(trace).everything(), truth_of(part));
}

std::string interruptions_agree(const trace::Trace& trace, Dice&) {
  const OnlyContended reduced = leave_out_all(trace);
  std::set<Position> rest;
  for (Position p : Oracle(reduced.trace).interruptible_blocks()) rest.insert(reduced.whole[p]);
  return Oracle(trace).interruptible_blocks() == rest ? "" : "interruptible blocks differ";
}

std::string sync_preserving_stays(const trace::Trace& trace, Dice&) {
  const OnlyContended reduced = leave_out_all(trace);
  const Semantics whole(trace), rest(reduced.trace);
  std::set<Pair> races;
  for (const auto& [a, b] : sync_preserving_races(rest)) {
    races.emplace(reduced.whole[a], reduced.whole[b]);
  }
  if (races != sync_preserving_races(whole)) return "sync-preserving races differ";
  std::set<std::vector<Position>> deadlocks;
  for (std::vector<Position> deadlock : sync_preserving_deadlocks(rest)) {
    for (Position& p : deadlock) p = reduced.whole[p];
    deadlocks.insert(std::move(deadlock));
  }
  return deadlocks == sync_preserving_deadlocks(whole) ? "" : "sync-preserving deadlocks differ";
}

// The definition, with all paths.
class Definition {
 public:
  explicit Definition(const trace::Trace& trace) : trace_(trace), semantics_(trace) {
    for (Position p = 0; p < size(); ++p) add_edges(p);
  }

  std::set<LocationId> contended() const {
    std::set<LocationId> found;
    for (Position b = 0; b < size(); ++b) {
      const trace::Event& e = event(b);
      if (is_atomic_access(e.kind) || e.is_ambiguous()) found.insert(e.location());
      if (!is_access(e.kind)) continue;
      for (Position a = 0; a < b; ++a) {
        if (conflict_in_hard_order(a, b) && !is_before(a, b, hard_)) found.insert(e.location());
        if (clash(event(a), e) && !is_before(a, b, happens_before_)) found.insert(e.location());
      }
    }
    add_used_in_blocks(found);
    return found;
  }

 private:
  using Edges = std::vector<std::set<Position>>;  // by event: what leads to it directly

  Position size() const { return static_cast<Position>(trace_.events.size()); }
  const trace::Event& event(Position p) const { return trace_.events[p]; }

  bool conflict_in_hard_order(Position a, Position b) const {
    if (event(a).thread == event(b).thread) return false;
    if (event(a).kind == trace::EventKind::Alloc) {
      return trace_.cells[event(b).location()].alloc == event(a).index;
    }
    const auto only_reads = [&](Position p) {
      return event(p).kind == trace::EventKind::Read ||
             event(p).kind == trace::EventKind::AtomicRead;
    };
    return is_access(event(a).kind) && event(a).object == event(b).object &&
           !(only_reads(a) && only_reads(b));
  }

  // Without reads-from edges into any piece of b's access.
  bool is_before(Position a, Position b, const Edges& edges) const {
    std::vector<Position> open = {b};
    std::set<Position> seen;
    while (!open.empty()) {
      const Position p = open.back();
      open.pop_back();
      for (Position q : edges[p]) {
        const bool reads_from = is_write(event(q).kind) && is_read(event(p).kind) &&
                                semantics_.writer_in_trace(p) == q && &edges == &hard_;
        if (reads_from && event(p).index == event(b).index && event(q).thread != event(p).thread) {
          continue;
        }
        if (q == a) return true;
        if (seen.insert(q).second) open.push_back(q);
      }
    }
    return false;
  }

  void add_edges(Position p) {
    hard_.emplace_back();
    happens_before_.emplace_back();
    const trace::Event& e = event(p);
    for (const clocks::SyncEdge& edge : sync_edges_.on_event(e)) {
      const bool is_hard =
          edge.kind != clocks::SyncEdgeKind::lock && edge.kind != clocks::SyncEdgeKind::atomic;
      for (Position from = 0; from < p; ++from) {
        if (event(from).index != edge.from) continue;
        happens_before_[p].insert(from);
        if (is_hard) hard_[p].insert(from);
      }
    }
    // The pieces of one access happen at once: what comes before the first comes before all, except
    // for what each reads.
    for (Position q = p; q-- > 0;) {
      if (event(q).thread != e.thread) continue;
      if (event(q).index == e.index) {
        add_all_but_reads_from(q, hard_);
        add_all_but_reads_from(q, happens_before_);
        break;
      }
      for (Position r = q + 1; r-- > 0 && event(r).index == event(q).index;) {
        hard_[p].insert(r);
        happens_before_[p].insert(r);
      }
      break;
    }
    if (is_read(e.kind)) {
      if (const auto writer = semantics_.writer_in_trace(p)) hard_[p].insert(*writer);
    }
  }

  // What leads to `piece` leads to the last event, a piece of the same access.
  void add_all_but_reads_from(Position piece, Edges& edges) const {
    for (Position q : edges[piece]) {
      const bool is_own_read = is_read(event(piece).kind) &&
                               semantics_.writer_in_trace(piece) == q &&
                               event(q).thread != event(piece).thread && &edges == &hard_;
      if (!is_own_read) edges.back().insert(q);
    }
  }

  void add_used_in_blocks(std::set<LocationId>& found) const {
    std::map<ThreadId, int> depth;
    std::map<LocationId, std::set<ThreadId>> users;
    std::set<LocationId> in_block;
    for (const trace::Event& e : trace_.events) {
      if (e.kind == trace::EventKind::BlockBegin) ++depth[e.thread];
      if (e.kind == trace::EventKind::BlockEnd) --depth[e.thread];
      if (!is_access(e.kind)) continue;
      users[e.location()].insert(e.thread);
      if (depth[e.thread] > 0) in_block.insert(e.location());
    }
    for (LocationId location : in_block) {
      if (users[location].size() > 1) found.insert(location);
    }
  }

  const trace::Trace& trace_;
  const Semantics semantics_;
  clocks::SyncEdges sync_edges_;
  Edges hard_, happens_before_;
};

std::string definition_agrees(const trace::Trace& trace, Dice&) {
  const auto cells = contended_cells_of(trace);
  const std::set<LocationId> expected = Definition(trace).contended();
  for (const trace::Event& e : trace.events) {
    if (is_access(e.kind) && cells->is_contended(e.location()) != expected.contains(e.location())) {
      return fmt::format("{} is {}contended by definition", trace.location_name(e.location()),
                         expected.contains(e.location()) ? "" : "not ");
    }
  }
  return "";
}

// Much synchronization that no reordering changes, around few variables.
Profile ordered_profile() {
  Profile p = everything_profile();
  p.name = "ordered";
  p.swarm = true;
  p.least_events = 8;
  p.most_events = 14;
  weigh(p, 12, {trace::EventKind::Read, trace::EventKind::Write});
  weigh(p, 8,
        {trace::EventKind::Fork, trace::EventKind::Join, trace::EventKind::SemaphorePost,
         trace::EventKind::SemaphoreWait});
  weigh(p, 2,
        {trace::EventKind::AtomicRead, trace::EventKind::AtomicWrite, trace::EventKind::AtomicRmw});
  return p;
}

std::vector<Profile> contended_profiles() {
  auto all = all_profiles();
  all.push_back(ordered_profile());
  return all;
}

class ContendedVsOracle : public testing::TestWithParam<Profile> {};
constexpr Trials kContendedTrials{.traces = 3000, .most_events = 14};

TEST_P(ContendedVsOracle, SomethingIsLeftOut) {
  size_t smaller = 0;
  for (uint64_t number = 0; number < 500; ++number) {
    const auto trace = well_formed(nth_trace(GetParam(), number));
    smaller += trace && leave_out_all(*trace).whole.size() < trace->events.size();
  }
  EXPECT_GE(smaller, 25u);
}

TEST_P(ContendedVsOracle, CellsAreThoseOfTheDefinition) {
  expect_property("contended-definition", GetParam(), kContendedTrials, definition_agrees);
}

TEST_P(ContendedVsOracle, VerdictsStay) {
  expect_property("contended", GetParam(), kContendedTrials, verdicts_agree);
}

TEST_P(ContendedVsOracle, VerdictsStayIfAPartIsLeftOut) {
  expect_property("contended-part", GetParam(), kContendedTrials, verdicts_agree_for_a_part);
}

TEST_P(ContendedVsOracle, SyncPreservingVerdictsStay) {
  expect_property("contended-sync-preserving", GetParam(), kContendedTrials, sync_preserving_stays);
}

TEST_P(ContendedVsOracle, InterruptibleBlocksStay) {
  expect_property("contended-interrupted", GetParam(), {.traces = 1000, .most_events = 12},
                  interruptions_agree);
}

INSTANTIATE_TEST_SUITE_P(Profiles, ContendedVsOracle, testing::ValuesIn(contended_profiles()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace foretell::oracle
