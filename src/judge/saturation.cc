// SPDX-License-Identifier: Apache-2.0

#include "judge/saturation.h"

#include <fmt/format.h>

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <map>
#include <ranges>

namespace foretell::judge {
namespace {

// Entries of clocks computed, over all rounds. Stopping early only leaves orders unfound.
constexpr size_t kMostWork = size_t{4} << 20;

struct Edge {
  Position before, after;
  bool operator==(const Edge&) const = default;
  template <class H>
  friend H AbslHashValue(H state, const Edge& e) {
    return H::combine(std::move(state), e.before, e.after);
  }
};

class Saturation {
 public:
  Saturation(const TraceFacts& facts, const Goal& goal, Needs& needs, Position from)
      : facts_(facts),
        goal_(goal),
        needs_(needs),
        from_(from),
        begins_(facts.steps_before(from)),
        laid_out_(facts.thread_count(), ~uint32_t{0}) {}

  SaturationResult run() {
    for (size_t work = 0; work < kMostWork; work += size_ * threads_.size()) {
      if (laid_out_ != needs_.limits()) {
        if (!lay_out()) return {SaturationOutcome::too_large};
      }
      if (!compute_clocks()) refute();
      const size_t before = inferred_.size();
      if (!refuted_) apply_reads_from();
      if (!refuted_ && !apply_locks()) {
        return {SaturationOutcome::impossible, *needs_.contradiction()};
      }
      if (refuted_) return {SaturationOutcome::impossible, "the orders it needs form a cycle"};
      if (inferred_.size() == before && laid_out_ == needs_.limits()) break;
    }
    SaturationResult result{SaturationOutcome::saturated};
    for (const Edge& e : inferred_) result.gate[e.after].push_back(e.before);
    return result;
  }

 private:
  struct Section {
    Position begin;
    Position end;  // kNoPosition: not needed
  };
  template <class T>
  using ByThread = std::map<uint32_t, std::vector<T>>;  // key: column. In order: the same each time
  struct LockSections {
    ByThread<Section> all, exclusive;
  };

  // The needed events, thread after thread; everything that is fixed while they stay the same.
  bool lay_out() {
    laid_out_ = needs_.limits();
    threads_.clear();
    column_.assign(facts_.thread_count(), 0);
    writes_.clear();
    reads_.clear();
    locks_.clear();
    fixed_.clear();
    offset_.assign(1, 0);
    for (uint32_t t = 0; t < facts_.thread_count(); ++t) {
      if (laid_out_[t] <= begins_[t]) continue;
      column_[t] = static_cast<uint32_t>(threads_.size());
      threads_.push_back(t);
      offset_.push_back(offset_.back() + laid_out_[t] - begins_[t]);
    }
    size_ = offset_.back();
    if (size_ * threads_.size() > kMostWork / 2) return false;
    for (uint32_t t : threads_) {
      for (uint32_t s = begins_[t]; s < laid_out_[t]; ++s) lay_out(facts_.events_of[t][s]);
    }
    for (auto [before, after] : orders_of(facts_, goal_)) fix(before, after);
    order_last_read();
    return true;
  }

  // The write that a stopped read returns is the last one of its location.
  void order_last_read() {
    if (goal_.last_read != LastRead::given) return;
    const LocationId location = facts_.event(goal_.events.back()).location();
    for (const auto& [thread, writes] : writes_[location]) {
      if (goal_.writer == kNoPosition) {
        refute();
      } else if (writes.back() != goal_.writer) {
        fix(writes.back(), goal_.writer);
      }
    }
  }

  void lay_out(Position p) {
    const trace::Event& e = facts_.event(p);
    if (is_read(e.kind) && !e.is_ambiguous() && facts_.values.keeps_writer(p)) reads_.push_back(p);
    if (is_write(e.kind)) writes_[e.location()][column(p)].push_back(p);
    if (begins_section(e.kind)) {
      const Section section{p, needs_.is_open(p) ? kNoPosition : facts_.match[p]};
      LockSections& lock = locks_[e.lock()];
      lock.all[column(p)].push_back(section);
      if (begins_exclusive(e.kind)) lock.exclusive[column(p)].push_back(section);
      const Position held = needs_.held_against(p);
      if (held != kNoPosition) {
        if (held >= from_) {
          add(facts_.match[p], held);
        } else if (must_precede(held, facts_.match[p])) {
          refute();
        }
      }
    }
    add_waited_for(p, e);
  }

  void add_waited_for(Position p, const trace::Event& e) {
    facts_.for_each_need(p, [&](Position needed) { fix(needed, p); });
    if (e.kind == trace::EventKind::WaitEnd && facts_.partner[p] != kNoPosition) {
      fix(facts_.wait_of(p), facts_.partner[p]);
    }
    if (!is_access(e.kind) || facts_.frees_of.empty()) return;
    if (auto frees = facts_.frees_of.find(e.location()); frees != facts_.frees_of.end()) {
      const uint32_t later = facts_.frees_before[p] + (e.kind == trace::EventKind::Free ? 1 : 0);
      if (later < frees->second.size() && needs_.is_needed(frees->second[later])) {
        fix(p, frees->second[later]);
      }
    }
  }

  void fix(Position before, Position after) {
    if (before == kNoPosition || before < from_) return;
    if (after >= from_) {
      fixed_.push_back({before, after});
    } else if (must_precede(after, before)) {
      refute();
    }
  }

  // Whether an event before the window comes before one in it, whatever the goal.
  bool must_precede(Position early, Position p) const {
    if (facts_.thread_index(early) == facts_.thread_index(p)) return true;
    return facts_.needs.at(p, facts_.thread_index(early)) > facts_.step[early];
  }

  void refute() { refuted_ = true; }

  uint32_t column(Position p) const { return column_[facts_.thread_index(p)]; }
  size_t node(Position p) const {
    return offset_[column(p)] + facts_.step[p] - begins_[facts_.thread_index(p)];
  }

  // Kahn's algorithm; a cycle leaves events over.
  bool compute_clocks() {
    const size_t width = threads_.size();
    clocks_.assign(size_ * width, 0);
    std::vector<uint32_t> waits_for(size_), first_edge(size_ + 1);
    auto for_each_edge = [&](auto&& visit) {
      for (const Edge& e : fixed_) visit(e);
      for (const Edge& e : inferred_) visit(e);
    };
    for_each_edge([&](const Edge& e) {
      ++waits_for[node(e.after)];
      ++first_edge[node(e.before) + 1];
    });
    for (size_t n = 0; n < size_; ++n) first_edge[n + 1] += first_edge[n];
    std::vector<Position> targets(first_edge[size_]);
    std::vector<uint32_t> fill(first_edge.begin(), first_edge.end() - 1);
    for_each_edge([&](const Edge& e) { targets[fill[node(e.before)]++] = e.after; });

    std::vector<Position> ready;
    for (uint32_t t : threads_) {
      const Position first = facts_.events_of[t][begins_[t]];
      if (waits_for[node(first)] == 0) ready.push_back(first);
    }
    size_t done = 0;
    // Program order is not among the edges: an event becomes ready after its predecessor.
    std::vector<bool> predecessor_done(size_);
    for (size_t c = 0; c < width; ++c) predecessor_done[offset_[c]] = true;
    auto join_into = [&](size_t from, size_t to) {
      for (size_t c = 0; c < width; ++c) {
        uint32_t& entry = clocks_[to * width + c];
        entry = std::max(entry, clocks_[from * width + c]);
      }
    };
    while (!ready.empty()) {
      const Position p = ready.back();
      ready.pop_back();
      const size_t n = node(p);
      clocks_[n * width + column(p)] = facts_.step[p] + 1;
      ++done;
      for (uint32_t i = first_edge[n]; i < first_edge[n + 1]; ++i) {
        const size_t target = node(targets[i]);
        join_into(n, target);
        if (--waits_for[target] == 0 && predecessor_done[target]) ready.push_back(targets[i]);
      }
      const uint32_t next = facts_.step[p] + 1;
      if (next < laid_out_[facts_.thread_index(p)]) {
        join_into(n, n + 1);
        predecessor_done[n + 1] = true;
        if (waits_for[n + 1] == 0) ready.push_back(facts_.events_of[facts_.thread_index(p)][next]);
      }
    }
    return done == size_;
  }

  // p is q, or must come before it; q is in the window.
  bool ordered(Position p, Position q) const {
    if (p < from_) return must_precede(p, q);
    return clocks_[node(q) * threads_.size() + column(p)] > facts_.step[p];
  }

  void infer(Position before, Position after) {
    if (before == after || before < from_) return;
    if (after < from_) {
      if (must_precede(after, before)) refute();
    } else if (!ordered(before, after)) {
      add(before, after);
    }
  }

  void add(Position before, Position after) {
    if (known_.insert({before, after}).second) inferred_.push_back({before, after});
  }

  void apply_reads_from() {
    for (Position read : reads_) {
      auto found = writes_.find(facts_.event(read).location());
      if (found == writes_.end()) continue;
      const Position writer = facts_.partner[read];
      for (const auto& [thread, writes] : found->second) {
        if (writer == kNoPosition) {
          if (writes.front() != read) infer(read, writes.front());
          continue;
        }
        // Writes before the read are the first ones of their thread, writes after the writer the
        // last ones.
        auto after_read = std::ranges::partition_point(
            writes, [&](Position c) { return c != read && ordered(c, read); });
        for (auto c : std::ranges::subrange(writes.begin(), after_read) | std::views::reverse) {
          if (c == writer) continue;
          infer(c, writer);
          break;
        }
        auto after_writer =
            std::ranges::partition_point(writes, [&](Position c) { return !ordered(writer, c); });
        for (auto c : std::ranges::subrange(after_writer, writes.end())) {
          if (c == writer || c == read) continue;
          infer(read, c);
          break;
        }
      }
    }
  }

  bool apply_locks() {
    for (const auto& [lock, sections] : locks_) {
      for (const auto& [thread, mine] : sections.all) {
        for (const Section& section : mine) {
          const bool exclusive = begins_exclusive(facts_.event(section.begin).kind);
          for (const auto& [other, theirs] : exclusive ? sections.all : sections.exclusive) {
            if (other != thread && !order_sections(section, theirs)) return false;
          }
        }
      }
    }
    return true;
  }

  bool order_sections(const Section& section, const std::vector<Section>& theirs) {
    auto first_after = std::ranges::partition_point(theirs, [&](const Section& s) {
      return !ordered(section.begin, s.end == kNoPosition ? s.begin : s.end);
    });
    if (first_after == theirs.end()) return true;
    if (section.end != kNoPosition) {
      infer(section.end, first_after->begin);
      return true;
    }
    const Position end = facts_.match[section.begin];
    if (end != kNoPosition) return needs_.require(end);
    return needs_.refuse("a lock that is never released is needed again");
  }

  const TraceFacts& facts_;
  const Goal& goal_;
  Needs& needs_;
  const Position from_;
  const std::vector<uint32_t> begins_;  // by thread: events before the window
  std::vector<uint32_t> laid_out_;      // the limits that the layout is of
  bool refuted_ = false;
  size_t size_ = 0;                // events laid out
  std::vector<uint32_t> threads_;  // column -> thread
  std::vector<uint32_t> column_;   // thread -> column
  std::vector<size_t> offset_;     // column -> node of its first event
  std::vector<Position> reads_;
  absl::flat_hash_map<LocationId, ByThread<Position>> writes_;
  std::map<LockId, LockSections> locks_;
  std::vector<Edge> fixed_, inferred_;
  absl::flat_hash_set<Edge> known_;
  std::vector<uint32_t> clocks_;  // node x column: events of the column's thread up to the node
};

}  // namespace

SaturationResult saturate(const TraceFacts& facts, const Goal& goal, Needs& needs, Position from) {
  return Saturation(facts, goal, needs, from).run();
}

}  // namespace foretell::judge
