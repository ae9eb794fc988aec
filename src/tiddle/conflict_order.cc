// SPDX-License-Identifier: Apache-2.0

#include "tiddle/conflict_order.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <memory>

#include "trace/normalizer.h"

namespace foretell::tiddle {
namespace {

// A history of one object in which operations of class `strong` conflict with all, and `weak` ones
// only with strong ones. Only edges to the nearest conflicting operations are made.
struct History {
  std::vector<size_t> strong;  // the last one, if any
  std::vector<size_t> weak;    // since then
};

class OrderBuilder {
 public:
  OrderBuilder(const TraceView& trace, ConflictOrder& order) : trace_(trace), order_(order) {
    const size_t count = trace.events.size();
    order.successors.resize(count);
    order.predecessor_count.resize(count);
    order.thread.resize(count);
    order.pieces.resize(count);
  }

  void run(const std::vector<trace::Event>& normal) {
    for (const trace::Event& e : normal) {
      const bool at_barrier =
          e.kind == trace::EventKind::BarrierEnter || e.kind == trace::EventKind::BarrierExit;
      if (at_barrier) generation_[to_index(e.index)] = e.generation();
      if (is_access(e.kind)) cells_of_[to_index(e.index)].push_back(e);
    }
    for (size_t i = 0; i < trace_.events.size(); ++i) visit(i, trace_.events[i]);
    for (size_t i = 0; i < order_.successors.size(); ++i) {
      auto& next = order_.successors[i];
      std::ranges::sort(next);
      next.erase(std::ranges::unique(next).begin(), next.end());
      for (size_t successor : next) ++order_.predecessor_count[successor];
    }
    track_values();
  }

 private:
  void edge(size_t from, size_t to) {
    if (from != to) order_.successors[from].push_back(to);
  }

  void strong(History& history, size_t i) {
    for (size_t before : history.strong) edge(before, i);
    for (size_t before : history.weak) edge(before, i);
    history.strong = {i};
    history.weak.clear();
  }
  void weak(History& history, size_t i) {
    for (size_t before : history.strong) edge(before, i);
    history.weak.push_back(i);
  }

  void program_order(size_t i, ThreadId thread) {
    auto [it, fresh] = threads_.try_emplace(thread, order_.by_thread.size());
    if (fresh) order_.by_thread.emplace_back();
    auto& events = order_.by_thread[it->second];
    if (!events.empty()) {
      edge(events.back(), i);
    } else if (auto fork = forks_.find(thread); fork != forks_.end()) {
      edge(fork->second, i);
    }
    events.push_back(i);
    order_.thread[i] = static_cast<uint32_t>(it->second);
  }

  void visit(size_t i, const trace::Event& e) {
    program_order(i, e.thread);
    switch (e.kind) {
      case trace::EventKind::Acquire:
      case trace::EventKind::Release:
      case trace::EventKind::TryFail:
      case trace::EventKind::TryFailShared:
        strong(locks_[e.lock()], i);
        break;
      case trace::EventKind::AcquireShared:
      case trace::EventKind::ReleaseShared:
        weak(locks_[e.lock()], i);
        break;
      case trace::EventKind::WaitBegin:
      case trace::EventKind::WaitEnd:
        strong(locks_[e.lock()], i);
        strong(conditions_[e.condition()], i);
        break;
      case trace::EventKind::NotifyOne:
      case trace::EventKind::NotifyAll:
        strong(conditions_[e.condition()], i);
        break;
      case trace::EventKind::SemaphorePost:
      case trace::EventKind::SemaphoreWait:
        strong(semaphores_[e.semaphore()], i);
        break;
      case trace::EventKind::BarrierEnter:
      case trace::EventKind::BarrierExit:
        visit_barrier(i, e);
        break;
      case trace::EventKind::Fork:
        forks_[e.other_thread()] = i;
        break;
      case trace::EventKind::Join:
        visit_join(i, e);
        break;
      case trace::EventKind::AtomicRead:
      case trace::EventKind::AtomicWrite:
      case trace::EventKind::AtomicRmw:
      case trace::EventKind::Read:
      case trace::EventKind::Write:
      case trace::EventKind::Free:
        visit_access(i, e);
        break;
      case trace::EventKind::Alloc:
        visit_alloc(i, e);
        break;
      case trace::EventKind::BlockBegin:
      case trace::EventKind::BlockEnd:
      case trace::EventKind::ThreadBegin:
      case trace::EventKind::ThreadEnd:
      case trace::EventKind::Fence:
      case trace::EventKind::Request:
      case trace::EventKind::RequestShared:
      case trace::EventKind::FunctionEnter:
      case trace::EventKind::FunctionExit:
      case trace::EventKind::Branch:
      case trace::EventKind::DestroyLock:
      case trace::EventKind::DestroyCondition:
      case trace::EventKind::DestroyBarrier:
      case trace::EventKind::DestroySemaphore:
      case trace::EventKind::User:
        break;
    }
  }

  void visit_join(size_t i, const trace::Event& e) {
    if (auto child = threads_.find(e.other_thread()); child != threads_.end()) {
      edge(order_.by_thread[child->second].back(), i);
    } else {
      edge(forks_.at(e.other_thread()), i);
    }
  }

  void visit_barrier(size_t i, const trace::Event& e) {
    const uint64_t g = generation_[i];
    auto& enters = enters_[{to_index(e.barrier()), g}];
    if (e.kind == trace::EventKind::BarrierEnter) {
      if (g > 0) {
        for (size_t leave : leaves_[{to_index(e.barrier()), g - 1}]) edge(leave, i);
        for (size_t enter : enters_[{to_index(e.barrier()), g - 1}]) edge(enter, i);
      }
      enters_[{to_index(e.barrier()), g}].push_back(i);
    } else {
      for (size_t enter : enters) edge(enter, i);
      leaves_[{to_index(e.barrier()), g}].push_back(i);
    }
  }

  void visit_access(size_t i, const trace::Event& e) {
    for (const trace::Event& piece : cells_of_[i]) {
      if (!is_atomic_access(e.kind)) continue;
      History& history = atomics_[piece.location()];
      if (e.kind == trace::EventKind::AtomicRead) {
        weak(history, i);
      } else {
        strong(history, i);
      }
    }
    auto& space = spaces_[trace_.tables.locations[e.location()].space];
    for (const Allocation& allocation : space.allocations) {
      if (overlap(allocation.range, trace_.tables.locations[e.location()]))
        edge(allocation.event, i);
    }
    space.uses.push_back(i);
  }

  // What used this memory before belongs to an earlier life.
  void visit_alloc(size_t i, const trace::Event& e) {
    const trace::Location& range = trace_.tables.locations[e.location()];
    auto& space = spaces_[range.space];
    for (size_t use : space.uses) {
      if (overlap(range, trace_.tables.locations[trace_.events[use].location()])) edge(use, i);
    }
    for (const Allocation& before : space.allocations) {
      if (overlap(range, before.range)) edge(before.event, i);
    }
    space.allocations.push_back({i, range});
  }

  static bool overlap(const trace::Location& a, const trace::Location& b) {
    if (a.size == 0 || b.size == 0) return true;  // the whole space
    return a.offset < b.offset + b.size && b.offset < a.offset + a.size;
  }

  void track_values() {
    absl::flat_hash_map<LocationId, uint32_t> tracked;
    for (const auto& [i, pieces] : cells_of_) {
      for (const trace::Event& p : pieces) {
        if (reads_known(p)) tracked.try_emplace(p.location(), 0);
      }
    }
    uint32_t next = 0;
    for (auto& [location, number] : tracked) number = next++;
    for (const auto& [i, pieces] : cells_of_) {
      for (const trace::Event& p : pieces) {
        auto cell = tracked.find(p.location());
        if (cell == tracked.end() || p.kind == trace::EventKind::Free) continue;
        order_.pieces[i].push_back(
            {.cell = cell->second,
             .reads = is_read(p.kind),
             .read_known = reads_known(p),
             .writes = is_write(p.kind),
             .write_known = is_write(p.kind) && p.has_value(),
             .read_value = p.kind == trace::EventKind::AtomicRmw ? p.extra : p.value,
             .written_value = p.value});
      }
    }
    find_initial_values(tracked.size());
  }

  // Memory starts at 0, unless reads before the first write say otherwise. A recorded program may
  // have initialized it before the recording began.
  void find_initial_values(size_t cells) {
    const bool is_recording = trace_.tables.facts.has_unrecorded_writes;
    enum class Seen : uint8_t { nothing, reads, write };
    std::vector<Seen> seen(cells, Seen::nothing);
    auto& initial = order_.initial_values;
    initial.assign(cells, is_recording ? std::nullopt : std::optional<uint64_t>(0));
    for (const auto& pieces : order_.pieces) {
      for (const ValuePiece& piece : pieces) {
        Seen& cell = seen[piece.cell];
        if (piece.read_known && cell == Seen::nothing) {
          initial[piece.cell] = piece.read_value;
          cell = Seen::reads;
        } else if (piece.read_known && cell == Seen::reads) {
          // Reads that disagree say nothing.
          if (initial[piece.cell] != piece.read_value) initial[piece.cell].reset();
        }
        if (piece.writes) cell = Seen::write;
      }
    }
  }

  static bool reads_known(const trace::Event& p) {
    if (p.kind == trace::EventKind::AtomicRmw) return p.has_read_value();
    return is_read(p.kind) && p.has_value();
  }

  struct Allocation {
    size_t event;
    trace::Location range;
  };
  struct Space {
    std::vector<size_t> uses;
    std::vector<Allocation> allocations;
  };
  using Round = std::pair<size_t, uint64_t>;  // barrier, generation

  const TraceView& trace_;
  ConflictOrder& order_;
  absl::flat_hash_map<size_t, uint64_t> generation_;
  absl::flat_hash_map<size_t, std::vector<trace::Event>> cells_of_;
  absl::flat_hash_map<ThreadId, size_t> threads_;
  absl::flat_hash_map<ThreadId, size_t> forks_;
  absl::flat_hash_map<LockId, History> locks_;
  absl::flat_hash_map<ConditionId, History> conditions_;
  absl::flat_hash_map<SemaphoreId, History> semaphores_;
  absl::flat_hash_map<LocationId, History> atomics_;
  absl::flat_hash_map<Round, std::vector<size_t>> enters_, leaves_;
  absl::flat_hash_map<StringId, Space> spaces_;
};

}  // namespace

Result<ConflictOrder> conflict_order(const TraceView& trace) {
  trace::Normalizer normalizer(trace.tables, std::make_unique<trace::CellMap>(trace.tables));
  std::vector<trace::Event> normal;
  if (auto done = normalizer.run(trace.events, normal); !done) {
    Diagnostic diagnostic = std::move(done).error();
    diagnostic.where = fmt::format("event {}", to_index(normalizer.failed_at()));
    return std::unexpected(std::move(diagnostic));
  }
  ConflictOrder order;
  OrderBuilder(trace, order).run(normal);
  return order;
}

}  // namespace foretell::tiddle
