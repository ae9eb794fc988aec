// SPDX-License-Identifier: Apache-2.0

// destruction: a lock, condition, barrier or semaphore that one thread destroys while another may
// still use it.
//
// A destruction and a use of the same object by two threads are an error if some correct reordering
// ends with both about to run: then the object may be gone when it is used. So it is a race
// (trace/event.h, clash), although neither is an access. Of each object the uses are kept, the last
// ones before a destruction and the first ones after it, one for each thread, place and kind of
// use. Every pair with a destruction is proposed; the judge decides. Of the uses at one place that
// fork and join order before the destruction one stands for all, or the uses of many threads that
// were joined would hide a real one among them.
//
// What needs the object no more is no use: the end of a wait that was notified, of a barrier that
// all have reached. A lock that is given back still is one.
//
// Cost: constant per synchronization. Missed: what happens to an object through code that is not
// recorded, and the end of the memory it lies in, if nobody destroys it first.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "clocks/vector_clock.h"

namespace foretell::analysis {

class Destruction final : public AnalysisOf<Destruction> {
 public:
  Destruction(const AnalysisOptions&, ProposalSink& sink) : sink_(sink) {}

  void on_event(const trace::Event& e);
  void report_counters(CounterSink& sink) const override;

  static constexpr size_t kMostUses = 64, kMostDestructions = 8;  // of one object

 private:
  // Which table an object's id is of: locks, conditions, barriers, semaphores.
  enum class Table : uint8_t { none, locks, conditions, barriers, semaphores };
  struct Use {
    trace::Event event;
    clocks::Epoch when;
  };
  struct Object {
    std::vector<Use> uses;  // the last ones
    std::vector<trace::Event> destructions;
    std::vector<trace::Event> later;  // the first uses after the last destruction
  };

  static Table table_of(trace::EventKind kind);
  clocks::VectorClock& clock(ThreadId thread);
  void fork(const trace::Event& e);
  void join(const trace::Event& e);
  void meet_use(const trace::Event& e);
  void meet_destruction(const trace::Event& e);
  void propose(const trace::Event& first, const trace::Event& second);

  ProposalSink& sink_;
  absl::flat_hash_map<ThreadId, clocks::VectorClock> clocks_;           // what fork and join order
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, Object> objects_;  // by table and id
  uint64_t destructions_ = 0, proposals_ = 0, left_out_ = 0;
};

}  // namespace foretell::analysis
