// SPDX-License-Identifier: Apache-2.0

#include "free_reads.h"

#include <algorithm>

#include "trace/contained_statements.h"

namespace foretell::oracle {
namespace {

using trace::EventKind;
using trace::StatementFacts;

class FreeReadRules {
 public:
  FreeReadRules(const trace::Trace& trace, std::span<const Position> goal)
      : trace_(trace),
        contained_(trace::contained_statements(trace.tables.facts)),
        semantics_(trace),
        needed_(goal.begin(), goal.end()) {
    size_t before = 0;
    do {
      before = needed_.size() + kept_.size();
      for (Position p = 0; p < trace.events.size(); ++p) apply(p);
    } while (needed_.size() + kept_.size() > before);
  }

  std::set<Position> free() const {
    std::set<Position> free;
    for (Position p = 0; p < trace_.events.size(); ++p) {
      if (trace_.events[p].kind == EventKind::Read && !kept_.contains(p)) free.insert(p);
    }
    return free;
  }

 private:
  const StatementFacts* line_of(Position p) const {
    for (const StatementFacts& line : trace_.tables.facts.statements) {
      if (line.statement == trace_.events[p].site) return &line;
    }
    return nullptr;
  }
  static bool has(const std::vector<SiteId>& sites, SiteId site) {
    return std::ranges::find(sites, site) != sites.end();
  }
  bool can_decide(Position p) const {
    return is_read(trace_.events[p].kind) || trace_.events[p].kind == EventKind::Branch;
  }
  void keep(Position p) {
    kept_.insert(p);
    needed_.insert(p);
  }

  void apply(Position p) {
    const trace::Event& e = trace_.events[p];
    const StatementFacts* line = line_of(p);
    const bool plain =
        e.kind == EventKind::Read || e.kind == EventKind::Write || e.kind == EventKind::Branch;
    if (!plain) keep(p);                                                          // 2
    if (can_decide(p) && !(line != nullptr && has(contained_, e.site))) keep(p);  // 3
    const bool depends = e.kind != EventKind::ThreadBegin && e.kind != EventKind::ThreadEnd;
    for (Position q = 0; q < p && depends; ++q) {
      if (trace_.events[q].thread != e.thread || !can_decide(q)) continue;
      const StatementFacts* earlier = line_of(q);
      if (needed_.contains(p)) {  // 4
        if (line == nullptr || (earlier != nullptr && has(earlier->scope, e.site))) keep(q);
      }
      if (kept_.contains(p) && e.kind != EventKind::Read && line != nullptr &&
          has(line->uses, trace_.events[q].site)) {
        keep(q);  // 5
      }
    }
    if (is_read(e.kind) && kept_.contains(p)) {  // 6
      if (const auto writer = semantics_.writer_in_trace(p)) keep(*writer);
      for (Position q = 0; q < trace_.events.size(); ++q) {
        if (can_decide(q) && changes(line_of(q), e.location())) keep(q);
      }
    }
  }

  bool changes(const StatementFacts* line, LocationId location) const {
    if (line == nullptr) return false;
    const trace::Location& read = trace_.cells[location].range;
    for (const trace::Location& changed : line->changes) {
      if (changed.space != read.space) continue;
      if (changed.size == 0 || read.size == 0) return true;
      for (uint64_t byte = changed.offset; byte < changed.offset + changed.size; ++byte) {
        if (byte >= read.offset && byte < read.offset + read.size) return true;
      }
    }
    return false;
  }

  const trace::Trace& trace_;
  const std::vector<SiteId> contained_;
  const Semantics semantics_;
  std::set<Position> needed_, kept_;
};

}  // namespace

std::set<Position> free_reads(const trace::Trace& trace, std::span<const Position> goal) {
  return FreeReadRules(trace, goal).free();
}

trace::Trace with_free_reads(const trace::Trace& trace, std::span<const Position> goal) {
  const std::set<Position> free = free_reads(trace, goal);
  trace::Trace marked = trace;
  for (Position p = 0; p < marked.events.size(); ++p) {
    trace::Event& e = marked.events[p];
    if (e.kind != EventKind::Read || free.contains(p)) continue;
    if (std::ranges::find(goal, p) == goal.end()) e.kind = EventKind::AtomicRead;
  }
  return marked;
}

void add_random_statements(trace::Trace& trace, Dice& dice) {
  const uint32_t sites = 3 + dice.below(5);
  for (Position p = 0; p < trace.events.size(); ++p) {
    trace::Event& e = trace.events[p];
    const bool same_access = p > 0 && trace.events[p - 1].index == e.index;
    if (same_access) {
      e.site = trace.events[p - 1].site;
    } else {
      e.site = dice.one_in(20) ? kNoSite : SiteId{dice.below(sites)};
    }
  }
  std::vector<SiteId> contained;
  for (uint32_t site = 0; site < sites; ++site) {
    if (dice.one_in(10)) continue;
    trace::StatementFacts line{.statement = SiteId{site}};
    if (!dice.one_in(5)) contained.push_back(line.statement);
    for (uint32_t other = 0; other < sites; ++other) {
      if (dice.one_in(6)) line.scope.push_back(SiteId{other});
      if (dice.one_in(5)) line.uses.push_back(SiteId{other});
    }
    for (uint32_t i = 0; i < trace.cells.size(); ++i) {
      if (dice.one_in(8)) line.changes.push_back(trace.cells[LocationId{i}].range);
    }
    trace.tables.facts.statements.push_back(std::move(line));
  }
  trace::set_contained_statements(contained, trace.tables.facts);
}

}  // namespace foretell::oracle
