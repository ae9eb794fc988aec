// SPDX-License-Identifier: Apache-2.0

#include "analysis/determinism/witness_graph/witness_graph.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace foretell::analysis {
namespace {

constexpr std::array kInitialWrite{judge::kNoPosition};

template <class Holds>
size_t count_first(std::span<const judge::Position> writes, Holds&& holds) {
  return static_cast<size_t>(std::ranges::partition_point(writes, holds) - writes.begin());
}

}  // namespace

WitnessGraph::WitnessGraph(const judge::TraceFacts& facts, Detail detail)
    : facts_(facts),
      detail_(detail),
      parts_(facts),
      writes_(facts),
      whole_graph_(parts_),
      without_couple_(parts_),
      without_writer_(parts_),
      cut_(parts_),
      choices_(parts_),
      reach_(parts_),
      held_at_(writes_.run_count()) {
  for (const auto& events : facts.events_of) whole_.push_back(static_cast<uint32_t>(events.size()));
  whole_graph_.build();
}

std::span<const WitnessGraph::Decided> WitnessGraph::decide_read(judge::Position read) {
  decided_.clear();
  const LocationId location = facts_.event(read).location();
  const judge::Position writer = facts_.partner[read];
  const bool is_written = writer != judge::kNoPosition;
  const uint64_t writes = facts_.writes_of(location).size();
  const uint64_t challengers = writes - is_written - is_write(facts_.event(read).kind);
  // The initial write is a challenger, too, but never the last one.
  counts_.possible += is_written ? 3 * challengers + 2 : challengers;
  decide_challengers_last(location, read, writer);
  // Where the read needs its writer anyway, it cannot come first.
  if (is_written && !needs_before_read(read, writer)) {
    decide_reads_first(read, writer);
    decide_without_writer(read, writer);
  }
  if (detail_ == Detail::choices) {
    counts_.cycles = counts_.possible - counts_.no_choice - counts_.with_choice;
  }
  return decided_;
}

std::span<const WitnessGraph::Decided> WitnessGraph::decide_final(LocationId location) {
  decided_.clear();
  const std::span<const judge::Position> writes = facts_.writes_of(location);
  if (writes.empty()) return decided_;
  counts_.possible += writes.size() - 1;
  decide_challengers_last(location, judge::kNoPosition, writes.back());
  if (detail_ == Detail::choices) {
    counts_.cycles = counts_.possible - counts_.no_choice - counts_.with_choice;
  }
  return decided_;
}

// Order (2), or what is left of it if one end is implicit. It has the writer before the read, with
// or without the couple: the graph is the whole one. No challenger was recorded between the two.
void WitnessGraph::decide_challengers_last(LocationId location, judge::Position read,
                                           judge::Position writer) {
  OrderGraph& graph = whole_graph_;
  const Question asked{read, writer, WitnessOrder::challenger_last, &graph};
  const bool is_read = read != judge::kNoPosition, is_written = writer != judge::kNoPosition;
  before_writer_.assign(facts_.thread_count(), 0);
  if (is_written) graph.before(writer, before_writer_);
  auto step_of = [&](judge::Position p) { return facts_.step[p]; };
  bool is_prepared = false, is_apart = true;
  for (const Run& run : writes_.runs(location)) {
    Writes open = writes_.of(run);
    open = open.subspan(static_cast<size_t>(
        std::ranges::lower_bound(open, before_writer_[run.thread], {}, step_of) - open.begin()));
    if (is_read) {
      open =
          open.first(count_first(open, [&](judge::Position c) { return !graph.reaches(read, c); }));
    }
    if (open.empty()) continue;
    if (!is_prepared) {
      is_prepared = true;
      find_held_throughout(read, writer);
      after_read_.assign(facts_.thread_count(), ScopeReach::kNothing);
      if (is_read) reach_.add_after(graph, read, after_read_);
      after_writer_.assign(facts_.thread_count(), 0);  // here: what comes before it
      if (is_written) reach_.add_before(graph, writer, after_writer_);
      is_apart = !is_read || !is_written || !is_in(after_read_, writer);
    }
    if (keeps_out(run)) continue;
    // What was recorded before the writer can be postponed behind it, with the read, unless it
    // comes before the writer, scopes as a whole.
    const size_t split =
        is_written ? count_first(open, [&](judge::Position c) { return c < writer; }) : 0;
    const Writes early = open.first(split), late = open.subspan(split);
    const size_t hard =
        !is_apart ? split
                  : static_cast<size_t>(
                        std::ranges::lower_bound(early, after_writer_[run.thread], {}, step_of) -
                        early.begin());
    const size_t rising =
        is_read ? count_first(early.first(hard),
                              [&](judge::Position c) { return graph.reaches(c, read); })
                : hard;
    decide_by_halves(asked, early.first(rising), Easier::last);
    decide_each(asked, early.subspan(rising, hard - rising));
    accept(asked, early.subspan(hard));
    // What was recorded after the read: the read can be postponed behind it, unless it follows.
    const size_t easy =
        is_apart ? count_first(late, [&](judge::Position c) { return !is_in(after_read_, c); }) : 0;
    accept(asked, late.first(easy));
    const Writes rest = late.subspan(easy);
    const size_t alone =
        is_written ? count_first(rest, [&](judge::Position c) { return !graph.reaches(writer, c); })
                   : 0;
    decide_each(asked, rest.first(alone));
    decide_by_halves(asked, rest.subspan(alone), Easier::first);
  }
}

// Order (1). The writer, and what follows from it, is postponed behind the read, which is postponed
// behind the challenger.
void WitnessGraph::decide_reads_first(judge::Position read, judge::Position writer) {
  OrderGraph& graph = prepare(read, writer);
  if (graph.reaches(writer, read)) return;
  const Question asked{read, writer, WitnessOrder::read_first, &graph};
  after_writer_.assign(facts_.thread_count(), ScopeReach::kNothing);
  reach_.add_after(graph, writer, after_writer_);
  const bool is_apart = !is_in(after_writer_, read);
  if (is_apart) {
    accept(asked, kInitialWrite);
  } else {
    const size_t before = decided_.size();
    decide_each(asked, kInitialWrite);
    if (decided_.size() == before) return;  // with a challenger even less
  }
  bool is_prepared = false;
  for (const Run& run : writes_.runs(facts_.event(read).location())) {
    Writes open = writes_.of(run);
    open = open.first(count_first(open, [&](judge::Position c) {
      return !graph.reaches(read, c) && !graph.reaches(writer, c);
    }));
    if (open.empty()) continue;
    if (!is_prepared) {
      is_prepared = true;
      after_read_ = after_writer_;
      reach_.add_after(graph, read, after_read_);
    }
    const size_t easy = !is_apart ? 0 : count_first(open, [&](judge::Position c) {
      return !is_in(c < read ? after_writer_ : after_read_, c);
    });
    accept(asked, open.first(easy));
    decide_by_halves(asked, open.subspan(easy), Easier::first);
  }
}

// Order (3). The read is postponed behind the challenger. Scopes that the cut leaves open come
// last, and may have to be postponed, too.
void WitnessGraph::decide_without_writer(judge::Position read, judge::Position writer) {
  if (!prepare_without_writer(read)) return;
  OrderGraph& graph = without_writer_;
  const Question asked{read, writer, WitnessOrder::without_writer, &graph};
  accept(asked, kInitialWrite);  // no order at all
  bool is_prepared = false, is_straight = true, is_apart = true;
  for (const Run& run : writes_.runs(facts_.event(read).location())) {
    Writes open = writes_.of(run);
    open = open.first(count_first(
        open, [&](judge::Position c) { return !graph.is_cut(c) && !graph.reaches(read, c); }));
    if (open.empty()) continue;
    if (!is_prepared) {
      is_prepared = true;
      after_read_.assign(facts_.thread_count(), ScopeReach::kNothing);
      for (const auto& [from, to] : graph.added_edges()) {
        if (from < to) continue;
        is_straight = false;
        reach_.add_after(graph, to, after_read_);
      }
      reach_.add_after(graph, read, after_read_);
      is_apart = std::ranges::all_of(graph.added_edges(), [&](const Edge& edge) {
        return edge.first < edge.second || !is_in(after_read_, edge.first);
      });
    }
    const size_t easy =
        is_apart ? count_first(open, [&](judge::Position c) { return !is_in(after_read_, c); }) : 0;
    accept(asked, open.first(easy));
    // The paper asks only about cycles through the order of the witness. If those scopes close
    // others, its verdict on one challenger says nothing about another.
    if (is_straight) {
      decide_by_halves(asked, open.subspan(easy), Easier::first);
    } else {
      decide_each(asked, open.subspan(easy));
    }
  }
}

void WitnessGraph::note(const Question& asked, Writes challengers, WitnessFate fate) {
  if (challengers.empty()) return;
  if (is_feasible(fate)) counts_.feasible += challengers.size();
  if (fate == WitnessFate::gave_up) counts_.gave_up += challengers.size();
  if (fate == WitnessFate::no_choice) counts_.no_choice += challengers.size();
  const bool is_shown = is_feasible(fate) || fate == WitnessFate::gave_up ||
                        (detail_ == Detail::choices && fate != WitnessFate::cycle);
  if (is_shown) decided_.push_back({asked.order, challengers, fate});
}

// They are feasible. The details have to be looked for.
void WitnessGraph::accept(const Question& asked, Writes challengers) {
  if (detail_ == Detail::choices) {
    decide_each(asked, challengers);
  } else {
    note(asked, challengers, WitnessFate::feasible);
  }
}

void WitnessGraph::decide_each(const Question& asked, Writes challengers) {
  for (size_t i = 0; i < challengers.size(); ++i) {
    note(asked, challengers.subspan(i, 1), decide_one(asked, challengers[i]));
  }
}

// If one of them is infeasible, so are those that are harder, and no search for them will end
// sooner.
void WitnessGraph::decide_by_halves(const Question& asked, Writes challengers, Easier easier) {
  if (detail_ == Detail::choices) {
    decide_each(asked, challengers);
    return;
  }
  const size_t count = challengers.size();
  auto at = [&](size_t i) { return challengers[easier == Easier::first ? i : count - 1 - i]; };
  auto between = [&](size_t begin, size_t end) {
    return challengers.subspan(easier == Easier::first ? begin : count - end, end - begin);
  };
  size_t feasible = 0, open = count, infeasible = count;  // from the easiest on, up to here
  for (size_t i = count - 1; feasible < open; i = feasible + (open - feasible) / 2) {
    const WitnessFate fate = decide_one(asked, at(i));
    if (is_feasible(fate)) {
      feasible = i + 1;
    } else {
      open = i;
      if (fate != WitnessFate::gave_up) infeasible = i;
    }
  }
  note(asked, between(0, feasible), WitnessFate::feasible);
  note(asked, between(feasible, infeasible), WitnessFate::gave_up);
}

WitnessFate WitnessGraph::decide_one(const Question& asked, judge::Position challenger) {
  const auto& [read, writer, kind, graph] = asked;
  if (kind == WitnessOrder::challenger_last && keeps_out(challenger)) return WitnessFate::cycle;
  order_.clear();
  if (challenger != judge::kNoPosition && read != judge::kNoPosition)
    order_.emplace_back(challenger, read);
  if (kind == WitnessOrder::read_first) order_.emplace_back(read, writer);
  if (kind == WitnessOrder::challenger_last && writer != judge::kNoPosition) {
    order_.emplace_back(writer, challenger);
  }
  return decide_in(*graph, order_);
}

void WitnessGraph::find_held_throughout(judge::Position read, judge::Position writer) {
  held_throughout_.clear();
  if (read == judge::kNoPosition || writer == judge::kNoPosition) return;
  const size_t thread = facts_.thread_index(writer);
  if (thread != facts_.thread_index(read)) return;
  for (judge::Position begin : facts_.locks.open_sections(thread, facts_.step[writer])) {
    const judge::Position end = facts_.match[begin];
    if (end == judge::kNoPosition || end > read)
      held_throughout_.push_back(facts_.event(begin).lock());
  }
}

bool WitnessGraph::keeps_out(const Run& run) {
  if (held_throughout_.empty()) return false;
  std::optional<std::vector<LockId>>& held = held_at_[writes_.number(run)];
  if (!held) {
    held.emplace();
    bool is_first = true;
    for (judge::Position c : writes_.of(run)) {
      std::vector<LockId> here;
      for (judge::Position begin : facts_.locks.open_sections(run.thread, facts_.step[c])) {
        const trace::Event& e = facts_.event(begin);
        if (begins_exclusive(e.kind)) here.push_back(e.lock());
      }
      if (is_first) held = here;
      is_first = false;
      std::erase_if(*held,
                    [&](LockId lock) { return std::ranges::find(here, lock) == here.end(); });
      if (held->empty()) break;
    }
  }
  return std::ranges::any_of(
      held_throughout_, [&](LockId lock) { return std::ranges::find(*held, lock) != held->end(); });
}

bool WitnessGraph::keeps_out(judge::Position challenger) const {
  return std::ranges::any_of(held_throughout_, [&](LockId lock) {
    const judge::Position begin =
        facts_.locks.open_section(lock, facts_.thread_index(challenger), facts_.step[challenger]);
    return begin != judge::kNoPosition && begins_exclusive(facts_.event(begin).kind);
  });
}

OrderGraph& WitnessGraph::prepare(judge::Position read, judge::Position writer) {
  if (facts_.event(writer).thread == facts_.event(read).thread) return whole_graph_;
  without_couple_.derive(whole_graph_, read, whole_);
  return without_couple_;
}

// False if there is a cycle, or the read is cut off.
bool WitnessGraph::prepare_without_writer(judge::Position read) {
  const std::vector<uint32_t>& limits = cut_.limits(read);
  return facts_.step[read] < limits[facts_.thread_index(read)] &&
         without_writer_.derive(whole_graph_, read, limits);
}

WitnessFate WitnessGraph::decide_in(OrderGraph& graph, std::span<const Edge> order) {
  for (const auto& [from, to] : order) {
    if (graph.reaches(to, from)) return WitnessFate::cycle;
  }
  const size_t before = graph.added();
  bool acyclic = true;
  for (const auto& [from, to] : order) acyclic = acyclic && graph.add(from, to);
  const WitnessFate fate = acyclic ? explore_choices(graph, order) : WitnessFate::cycle;
  graph.take_back_to(before);
  return fate;
}

// Tries the edges of one pair after the other. An edge that closes a cycle leaves its partner only,
// and two of them end all choice graphs with what was chosen so far: those count as one.
bool WitnessGraph::choose(OrderGraph& graph, std::span<const ChoicePair> pairs, Search& search) {
  // Pairs that the choices so far have ordered: adding their edges would only slow down the rest.
  auto is_ordered = [&](const ChoicePair& pair) {
    return graph.reaches(pair.first.first, pair.first.second) ||
           graph.reaches(pair.second.first, pair.second.second);
  };
  while (!pairs.empty() && !search.is_over() && is_ordered(pairs.front())) {
    pairs = pairs.subspan(1);
    search.work += graph.added();
  }
  if (pairs.empty()) {
    ++search.explored;
    return true;
  }
  if (search.is_over()) return false;
  bool is_dead_end = true;
  for (const Edge& edge : {pairs.front().first, pairs.front().second}) {
    if (graph.reaches(edge.second, edge.first)) continue;
    is_dead_end = false;
    const size_t before = graph.added();
    graph.add_plain(edge.first, edge.second);
    search.work += graph.added();
    if (choose(graph, pairs.subspan(1), search)) return true;
    graph.take_back_to(before);
    if (search.is_over()) return false;
  }
  if (is_dead_end) ++search.explored;
  return false;
}

WitnessFate WitnessGraph::explore_choices(OrderGraph& graph, std::span<const Edge> order) {
  // One of two graphs is nearly always acyclic: the one in which what has to wait waits for
  // everything else, and the one with the choices of the recorded run.
  const bool is_postponed = choices_.can_be_postponed(graph);
  if (is_postponed && detail_ == Detail::verdicts) return WitnessFate::feasible;
  // Two to the power of more pairs is too large to be written down.
  constexpr uint64_t kEnough = 1100;
  const uint64_t pairs =
      is_postponed ? choices_.find(graph, order, kEnough) : choices_.find(graph, order);
  if (pairs == 0) return WitnessFate::no_choice;
  ++counts_.with_choice;
  counts_.possible_choice_graphs += std::exp2(static_cast<double>(pairs));
  uint64_t explored = 1;
  bool acyclic = is_postponed;
  if (!acyclic) {
    ++explored;
    acyclic = graph.is_acyclic_with(choices_.recorded_choices());
  }
  bool gave_up = false;
  if (!acyclic) {
    Search search;
    acyclic = choose(graph, choices_.pairs(), search);
    gave_up = search.is_over();
    explored += search.explored;
  }
  counts_.explored_choice_graphs += explored;
  if (acyclic) return WitnessFate::choice_acyclic;
  return gave_up ? WitnessFate::gave_up : WitnessFate::choice_all_cyclic;
}

}  // namespace foretell::analysis
