// SPDX-License-Identifier: Apache-2.0

#include "replay/deadlock.h"

#include <algorithm>
#include <optional>

namespace foretell::replay {
namespace {

struct Held {
  LockId lock{};
  bool shared = false;
  uint32_t depth = 1;
  SiteId site = kNoSite;
};

struct ThreadState {
  bool seen = false, ended = false;
  std::vector<Held> held;
  trace::Event last;
  bool requests = false;  // `last_request` has no acquire yet
  trace::Event last_request;
};

class WaitsFor {
 public:
  void on_event(const trace::Event& e) {
    ThreadState& thread = state(e.thread);
    thread.seen = true;
    thread.last = e;
    switch (e.kind) {
      case trace::EventKind::Request:
      case trace::EventKind::RequestShared:
        thread.requests = true;
        thread.last_request = e;
        break;
      case trace::EventKind::Acquire:
      case trace::EventKind::AcquireShared:
      case trace::EventKind::WaitEnd:
        take(thread, e);
        break;
      case trace::EventKind::Release:
      case trace::EventKind::ReleaseShared:
      case trace::EventKind::WaitBegin:
        give(thread, e);
        break;
      case trace::EventKind::TryFail:
      case trace::EventKind::TryFailShared:
        thread.requests = false;  // a timed lock that gave up
        break;
      case trace::EventKind::ThreadEnd:
        thread.ended = true;
        break;
      case trace::EventKind::Fork:
        state(e.other_thread());
        break;
      default:
        break;
    }
  }

  // Threads each waiting for a lock the next one holds; empty if there is no such cycle.
  std::vector<ThreadId> cycle() {
    for (uint32_t start = 0; start < threads_.size(); ++start) {
      std::vector<ThreadId> path;
      for (auto at = std::optional(ThreadId{start}); at; at = next(*at)) {
        const auto met = std::ranges::find(path, *at);
        if (met != path.end()) return {met, path.end()};
        path.push_back(*at);
      }
    }
    return {};
  }

  std::vector<ThreadId> stuck() {
    std::vector<ThreadId> threads;
    for (uint32_t t = 0; t < threads_.size(); ++t) {
      if (state(ThreadId{t}).seen && !state(ThreadId{t}).ended) threads.push_back(ThreadId{t});
    }
    return threads;
  }

  ThreadState& state(ThreadId thread) {
    if (to_index(thread) >= threads_.size()) threads_.resize(to_index(thread) + 1);
    return threads_[to_index(thread)];
  }

 private:
  static void take(ThreadState& thread, const trace::Event& e) {
    if (thread.requests && thread.last_request.lock() == e.lock()) thread.requests = false;
    const bool shared = e.kind == trace::EventKind::AcquireShared;
    const auto held = std::ranges::find(thread.held, e.lock(), &Held::lock);
    if (held == thread.held.end()) {
      thread.held.push_back({e.lock(), shared, 1, e.site});
    } else {
      ++held->depth;
    }
  }

  static void give(ThreadState& thread, const trace::Event& e) {
    const auto held = std::ranges::find(thread.held, e.lock(), &Held::lock);
    if (held == thread.held.end()) return;
    // A wait gives up a re-entrant lock whole.
    if (--held->depth == 0 || e.kind == trace::EventKind::WaitBegin) thread.held.erase(held);
  }

  // Whom the thread waits for.
  std::optional<ThreadId> next(ThreadId thread) {
    const ThreadState& mine = state(thread);
    if (mine.ended || !mine.requests) return {};
    const bool wants_shared = mine.last_request.kind == trace::EventKind::RequestShared;
    for (uint32_t t = 0; t < threads_.size(); ++t) {
      for (const Held& held : threads_[t].held) {
        if (held.lock == mine.last_request.lock() && !(wants_shared && held.shared)) {
          return ThreadId{t};
        }
      }
    }
    return {};
  }

  std::vector<ThreadState> threads_;
};

finding::Operation operation_of(recording::Awaited awaited) {
  switch (awaited) {
    case recording::Awaited::semaphore:
      return trace::EventKind::SemaphoreWait;
    case recording::Awaited::thread:
      return trace::EventKind::Join;
    case recording::Awaited::futex:
      return finding::Operation(finding::SilentWait::futex);
    case recording::Awaited::once:
      return finding::Operation(finding::SilentWait::once);
  }
  return finding::Operation(finding::SilentWait::futex);
}

// Waits that have no event before they are served are facts of the run. A later event of the thread
// ends them.
void put_unserved_wait(const trace::RunFacts& facts, finding::DescribedEvent& e) {
  const trace::UnservedWait* wait = facts.unserved_wait_of(e.thread);
  if (wait == nullptr || wait->index <= e.index) return;
  e.operation = operation_of(wait->awaited);
  e.object = wait->object;
  e.site = wait->site;
}

finding::DescribedEvent describe(const ThreadState& state, const trace::TraceTables& tables) {
  const trace::Event& e = state.requests ? state.last_request : state.last;
  finding::DescribedEvent out;
  out.index = e.index;
  out.thread = tables.threads[e.thread];
  out.thread_name = tables.facts.title_of(out.thread);
  out.operation = e.kind;
  const trace::Operands operands = operands_of(e.kind);
  if (operands == trace::Operands::Lock) out.object = tables.locks[e.lock()];
  if (operands == trace::Operands::Wait) out.object = tables.conditions[e.condition()];
  if (operands == trace::Operands::Barrier) out.object = tables.barriers[e.barrier()];
  out.site = tables.site_name(e.site);
  if (e.site != kNoSite) {
    out.function = tables.strings[tables.sites[e.site].function];
    if (state.requests) out.expression = tables.strings[tables.sites[e.site].expression];
  }
  put_unserved_wait(tables.facts, out);
  for (const Held& held : state.held) {
    out.locks.push_back(
        {std::string(tables.locks[held.lock]), held.shared, tables.site_name(held.site)});
  }
  return out;
}

// How many events there are.
Result<uint64_t> read_all(trace::TraceReader& reader, WaitsFor& waits) {
  reader.rewind();
  std::vector<trace::Event> batch(trace::kBatchSize);
  uint64_t events = 0;
  for (;;) {
    FORETELL_TRY(got, reader.read(batch));
    if (got == 0) return events;
    for (const trace::Event& e : std::span(batch).first(got)) waits.on_event(e);
    events += got;
  }
}

}  // namespace

Result<std::vector<finding::DescribedEvent>> describe_stuck(trace::TraceReader& reader) {
  WaitsFor waits;
  FORETELL_TRY(events, read_all(reader, waits));
  std::vector<finding::DescribedEvent> described;
  if (events == 0) return described;
  for (ThreadId thread : waits.stuck()) {
    described.push_back(describe(waits.state(thread), reader.tables()));
  }
  return described;
}

Result<finding::Finding> describe_deadlock(trace::TraceReader& reader) {
  WaitsFor waits;
  FORETELL_TRY(events, read_all(reader, waits));

  finding::Finding finding{.id = "deadlock-1", .verdict = finding::Verdict::confirmed};
  finding.witness = finding::Witness{.prefix_end = events};
  std::vector<ThreadId> threads = waits.cycle();
  finding::DeadlockFinding deadlock{.is_cycle = !threads.empty()};
  if (!deadlock.is_cycle) threads = waits.stuck();
  for (ThreadId thread : threads) {
    finding.events.push_back(describe(waits.state(thread), reader.tables()));
  }
  // The name of the finding's object is the cycle itself: from -> to -> from.
  for (const finding::DescribedEvent& e : finding.events) {
    if (!deadlock.is_cycle) break;
    deadlock.waits += (deadlock.waits.empty() ? "" : " -> ") + e.object;
  }
  finding.details = std::move(deadlock);
  return finding;
}

}  // namespace foretell::replay
