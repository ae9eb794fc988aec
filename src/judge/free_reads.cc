// SPDX-License-Identifier: Apache-2.0

#include "judge/free_reads.h"

#include <algorithm>

namespace foretell::judge {
namespace {

// What may be left out, happen differently or return something else without blocking anyone.
bool is_plain(trace::EventKind kind) {
  return kind == trace::EventKind::Read || kind == trace::EventKind::Write ||
         kind == trace::EventKind::Branch;
}

bool decides(trace::EventKind kind) {
  return is_read(kind) || kind == trace::EventKind::Branch;
}

// A variable without extent covers every range of its space.
bool may_overlap(const trace::Location& a, const trace::Location& b) {
  if (a.space != b.space) return false;
  if (a.size == 0 || b.size == 0) return true;
  return a.offset < b.offset + b.size && b.offset < a.offset + a.size;
}

}  // namespace

FreeReads::FreeReads(const trace::Trace& trace, std::span<const Position> writers,
                     const std::vector<trace::StatementFacts>& statements,
                     std::span<const SiteId> contained_statements)
    : trace_(trace), writers_(writers), statements_(statements) {
  for (const trace::StatementFacts& facts : statements) {
    Row& row = rows_[facts.statement];
    row.known = true;
    row.uses = facts.uses;
    for (SiteId site : facts.scope) rows_[site].controllers.push_back(facts.statement);
  }
  for (SiteId site : contained_statements) rows_[site].contained = true;
  base_.needed.resize(trace.events.size());
  base_.valued.resize(trace.events.size());
  for (Position p = 0; p < trace.events.size(); ++p) {
    const trace::Event& e = trace.events[p];
    if (e.kind == trace::EventKind::Read) ++plain_reads_;
    if (!decides(e.kind)) continue;
    deciders_of_[e.thread].push_back(p);
    if (e.site == kNoSite) continue;
    events_at_[{e.thread, e.site}].push_back(p);
    everywhere_at_[e.site].push_back(p);
  }
  for (Position p = 0; p < trace.events.size(); ++p) {
    const trace::Event& e = trace.events[p];
    const Row* row = row_of(e.site);
    const bool contained = row != nullptr && row->known && row->contained;
    if (!is_plain(e.kind) || (decides(e.kind) && !contained)) value(p, base_);
  }
  follow(base_);
}

std::vector<bool> FreeReads::free_for(std::span<const Position> events) const {
  if (is_empty()) return {};
  Marks marks = base_;
  for (Position p : events) need(p, marks);
  follow(marks);
  if (marks.kept == plain_reads_) return {};
  std::vector<bool> free(trace_.events.size());
  for (Position p = 0; p < free.size(); ++p) {
    free[p] = trace_.events[p].kind == trace::EventKind::Read && !marks.valued[p];
  }
  return free;
}

const FreeReads::Row* FreeReads::row_of(SiteId site) const {
  if (site == kNoSite) return nullptr;
  const auto it = rows_.find(site);
  return it == rows_.end() ? nullptr : &it->second;
}

// It must happen.
void FreeReads::need(Position p, Marks& marks) const {
  if (marks.needed[p]) return;
  marks.needed[p] = true;
  marks.left.push_back(p);
}

// It must happen, and read, write or decide what it did.
void FreeReads::value(Position p, Marks& marks) const {
  if (marks.valued[p]) return;
  marks.valued[p] = true;
  if (trace_.events[p].kind == trace::EventKind::Read) ++marks.kept;
  if (!marks.needed[p]) return need(p, marks);
  marks.left.push_back(p);
}

void FreeReads::follow(Marks& marks) const {
  while (!marks.left.empty()) {
    const Position p = marks.left.back();
    marks.left.pop_back();
    const trace::Event& e = trace_.events[p];
    // A contained choice does not keep its thread from its end.
    if (e.kind == trace::EventKind::ThreadBegin || e.kind == trace::EventKind::ThreadEnd) continue;
    const Row* row = row_of(e.site);
    if (row == nullptr || !row->known) {
      keep_all_earlier(p, marks);
    } else {
      for (SiteId site : row->controllers) keep_earlier_at(site, p, marks);
      if (marks.valued[p] && e.kind != trace::EventKind::Read) {
        for (SiteId site : row->uses) keep_earlier_at(site, p, marks);
      }
    }
    if (marks.valued[p] && is_read(e.kind)) keep_value_read(p, marks);
  }
}

void FreeReads::keep_earlier_at(SiteId site, Position p, Marks& marks) const {
  const ThreadId thread = trace_.events[p].thread;
  const auto at = events_at_.find({thread, site});
  if (at == events_at_.end()) return;
  uint32_t& next = marks.kept_at[{thread, site}];
  for (; next < at->second.size() && at->second[next] < p; ++next) value(at->second[next], marks);
}

void FreeReads::keep_all_earlier(Position p, Marks& marks) const {
  const ThreadId thread = trace_.events[p].thread;
  const auto all = deciders_of_.find(thread);
  if (all == deciders_of_.end()) return;
  uint32_t& next = marks.kept_of[thread];
  for (; next < all->second.size() && all->second[next] < p; ++next) {
    value(all->second[next], marks);
  }
}

// Its write, and whatever could write there on another way.
void FreeReads::keep_value_read(Position read, Marks& marks) const {
  if (writers_[read] < trace_.events.size()) value(writers_[read], marks);
  const LocationId location = trace_.events[read].location();
  bool& known = marks.read[location];
  if (known) return;
  known = true;
  const trace::Location& memory = trace_.cells[location].range;
  for (const trace::StatementFacts& facts : statements_) {
    const bool may_change = std::ranges::any_of(facts.changes, [&](const trace::Location& changed) {
      return may_overlap(changed, memory);
    });
    const auto at = everywhere_at_.find(facts.statement);
    if (!may_change || at == everywhere_at_.end()) continue;
    for (Position p : at->second) value(p, marks);
  }
}

}  // namespace foretell::judge
