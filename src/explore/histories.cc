// SPDX-License-Identifier: Apache-2.0

#include "explore/histories.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "explore/arrangement.h"

namespace foretell::explore {
namespace {

using judge::kNoPosition;
using judge::Position;
using trace::EventKind;

constexpr History kNothing = 0x6e6f7468696e6721;

History hash_of(std::string_view text) {
  History hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return mixed(hash, text.size());
}

// Of steps that the same code may take after the same history, depending on what it finds there.
uint64_t step_kind(EventKind kind) {
  switch (kind) {
    case EventKind::TryFail:
      return static_cast<uint64_t>(EventKind::Acquire);
    case EventKind::TryFailShared:
      return static_cast<uint64_t>(EventKind::AcquireShared);
    case EventKind::AtomicRmw:  // a compare-exchange that fails is a read
      return static_cast<uint64_t>(EventKind::AtomicRead);
    default:
      return static_cast<uint64_t>(kind);
  }
}

}  // namespace

History mixed(History a, History b) {
  uint64_t x = a * 0x9e3779b97f4a7c15 + b;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93;
  x ^= x >> 29;
  x *= 0xd6e8feb86659fd93;
  return x ^ x >> 32;
}

std::pair<Position, Position> pieces_of(const judge::TraceFacts& facts, Position p) {
  const EventIndex index = facts.event(p).index;
  Position first = p, end = p + 1;
  while (first > 0 && facts.event(first - 1).index == index) --first;
  while (end < facts.size() && facts.event(end).index == index) ++end;
  return {first, end};
}

Histories::Histories(const judge::TraceFacts& facts)
    : facts_(&facts),
      of_(facts.size()),
      predecessors_(explore::lock_predecessors(facts)),
      threads_(facts.thread_count()) {
  for (size_t t = 0; t < threads_.size(); ++t) {
    if (facts.fork_of[t] == kNoPosition) {
      threads_[t] = hash_of(facts.trace.tables.threads[ThreadId{static_cast<uint32_t>(t)}]);
    }
  }
  std::vector<uint32_t> children(threads_.size());
  for (Position p = 0, end = 0; p < facts.size(); p = end) {
    end = pieces_of(facts, p).second;
    const trace::Event& e = facts.event(p);
    const size_t thread = to_index(e.thread);
    if (e.kind == EventKind::Fork) {
      const size_t child = to_index(e.other_thread());
      if (facts.fork_of[child] == p) {
        threads_[child] = mixed(threads_[thread], ++children[thread]);
      }
    }
    const History earlier = before(p);
    const uint64_t place = place_of(p);
    steps_.push_back({earlier, mixed(step_kind(e.kind), place), p});
    const History mine = of_access(p, end);
    std::fill(of_.begin() + p, of_.begin() + end, mine);
    at_[mine] = end - 1;
  }
  // Which threads there are and how far each came; their order does not matter.
  for (const std::vector<Position>& events : facts.events_of) {
    if (!events.empty()) whole_ += mixed(of_[events.back()], kNothing);
  }
}

uint64_t Histories::place_of(Position p) {
  const SiteId site = facts_->event(p).site;
  if (site == kNoSite) return 0;
  const auto [it, fresh] = places_.try_emplace(site, 0);
  if (fresh) {
    const trace::TraceTables& tables = facts_->trace.tables;
    const trace::Site& row = tables.sites[site];
    it->second = mixed(
        hash_of(tables.strings[row.file]),
        mixed((uint64_t{row.line} << 32) + row.column, hash_of(tables.strings[row.function])));
  }
  return it->second;
}

History Histories::before(Position p) const {
  const size_t thread = facts_->thread_index(p);
  const Position first = pieces_of(*facts_, p).first;
  const uint32_t step = facts_->step[first];
  if (step > 0) return of_[facts_->events_of[thread][step - 1]];
  const Position fork = facts_->fork_of[thread];
  return mixed(threads_[thread], fork == kNoPosition ? kNothing : of_[fork]);
}

History Histories::written_by(Position writer) const {
  return writer == kNoPosition || writer >= of_.size() ? kNothing : of_[writer];
}

// Without what it depends on besides the history before it. The place is known.
History Histories::begun(Position p) const {
  const trace::Event& e = facts_->event(p);
  const uint64_t place = e.site == kNoSite ? 0 : places_.at(e.site);
  return mixed(mixed(before(p), static_cast<uint64_t>(e.kind)), place);
}

// How an access is split depends on the other accesses of the run, so neighbors that return one
// write count as one.
History Histories::of_read(Position first, std::span<const Position> writers) const {
  const auto offset = [&](Position p) {
    return facts_->trace.cells[facts_->event(p).location()].range.offset;
  };
  History mine = begun(first);
  for (size_t i = 0; i < writers.size(); ++i) {
    if (i > 0 && writers[i] == writers[i - 1]) continue;
    if (i > 0) mine = mixed(mine, offset(first + static_cast<Position>(i)) - offset(first));
    mine = mixed(mine, written_by(writers[i]));
  }
  return mine;
}

History Histories::of_acquire(Position p, Position released) const {
  return mixed(begun(p), written_by(released));
}

// What an event adds to the history before it: what it depends on besides.
History Histories::of_access(Position first, Position end) const {
  const trace::Event& e = facts_->event(first);
  if (is_read(e.kind)) {
    return of_read(first, std::span(facts_->partner).subspan(first, end - first));
  }
  const History before = begun(first);
  switch (e.kind) {
    case EventKind::Join: {
      const std::vector<Position>& child = facts_->events_of[to_index(e.other_thread())];
      return mixed(before,
                   child.empty() ? threads_[to_index(e.other_thread())] : of_[child.back()]);
    }
    case EventKind::Acquire:
      return mixed(before, written_by(predecessors_[first]));
    case EventKind::WaitEnd:
      return mixed(mixed(before, written_by(facts_->partner[first])),
                   written_by(predecessors_[first]));
    case EventKind::SemaphoreWait:
      return mixed(before, written_by(facts_->partner[first]));
    case EventKind::BarrierExit: {
      History all = 0;
      for (Position enter : facts_->enters(e.barrier(), e.generation())) {
        all += enter < first ? of_[enter] : 0;
      }
      return mixed(before, all);
    }
    default:
      return before;
  }
}

}  // namespace foretell::explore
