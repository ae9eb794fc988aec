// SPDX-License-Identifier: Apache-2.0

// destruction: a lock, condition, barrier or semaphore that one thread destroys while another may
// still use it.
//
// A destruction and a use of the same object by two threads are an error if some correct reordering
// ends with both about to run: then the object may be gone when it is used. So it is a race
// (trace/event.h, clash), although neither is an access. Of each object the uses are kept, the last
// ones before a destruction and the first ones after it, one for each thread, place and kind of
// use. Every pair with a destruction is proposed; the judge decides.
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
  struct Object {
    std::vector<trace::Event> uses;  // the last ones
    std::vector<trace::Event> destructions;
    std::vector<trace::Event> later;  // the first uses after the last destruction
  };

  static Table table_of(trace::EventKind kind);
  void meet_use(const trace::Event& e);
  void meet_destruction(const trace::Event& e);
  void propose(const trace::Event& first, const trace::Event& second);

  ProposalSink& sink_;
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, Object> objects_;  // by table and id
  uint64_t destructions_ = 0, proposals_ = 0, left_out_ = 0;
};

}  // namespace foretell::analysis
