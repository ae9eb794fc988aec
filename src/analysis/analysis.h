// SPDX-License-Identifier: Apache-2.0

// The contract of an analysis.
//
// An analysis sees the normalized events of one trace in order, once, or again each time it asks
// for another pass (several analyses share a pass). It proposes findings to its sink and counts how
// often each of its rules fired. It never prints, never reads a file, and never decides whether its
// proposals are true: the judge does. If it needs the result of another analysis, its row in the
// registry says so, and the driver provides it.
//
// To add one: a folder, a class derived from AnalysisOf<Itself> with on_event(), a row in
// analysis/registry.def, test traces, a row in docs/papers.md. See docs/adding-an-analysis.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "finding/finding.h"
#include "trace/event.h"
#include "trace/statement_facts.h"

namespace foretell::analysis {

class Sharing;

class ProposalSink {
 public:
  virtual ~ProposalSink() = default;
  virtual void propose(finding::Proposal proposal) = 0;
};

class CounterSink {
 public:
  virtual ~CounterSink() = default;
  virtual void count(std::string_view rule, uint64_t times) = 0;
  // A sentence about the run that the report should have.
  virtual void note(std::string) {}
  // Something that was not looked at because of a bound, as the end of a sentence: "cycles of more
  // than ...". The report says so.
  virtual void left_out(std::string_view) {}
};

// What came of an analysis that another one needs (the column `needs` of analysis/registry.def).
struct NeededResult {
  std::string_view name;
  uint64_t proposals = 0;  // that differ
};

struct AnalysisOptions {
  // PREDICT, appendix B: after a race its second access counts as ordered after everything the
  // first thread has done, so that the soundness of a first race holds for each reported one.
  bool order_after_race = false;
  // The allocation that began the present life of a location that has been accessed, kNoEvent if
  // none was recorded. Without this function analyses know of no allocation.
  std::function<EventIndex(LocationId)> allocation_of = {};
  // Reads that may return what another write stored, so that they order nothing. Without this
  // function none.
  std::function<bool(const trace::Event& read)> may_read_another = {};
  // What is known of the code behind the trace, complete after the first pass. Null: nothing.
  const std::vector<trace::StatementFacts>* statements = nullptr;
  // The memory that a location of the events stands for. Only with `statements`.
  std::function<trace::Location(LocationId)> memory_of = {};
  // Which functions should be atomic, in addition to the blocks that the trace declares. Without
  // this function none.
  std::function<bool(FunctionId)> is_atomic_function = {};
  // What several analyses find out in their first pass (race/sync_preserving/sharing.h), found out
  // once for all of them: fed by whoever runs them, and finished before they are. Null: each does
  // that by itself.
  std::shared_ptr<Sharing> sharing = {};
  // Long work in finish() says now and then how much of it is done. False: end with what there is.
  std::function<bool(double fraction)> goes_on = [](double) { return true; };
};

class Analysis {
 public:
  virtual ~Analysis() = default;
  virtual void on_events(std::span<const trace::Event> batch) = 0;
  virtual void finish() {}
  // After finish(): true if the same events shall pass by once more, with finish() after them.
  virtual bool wants_another_pass() { return false; }
  // After the last pass, before the counters: what the needed analysis has found.
  virtual void use(const NeededResult&) {}
  virtual void report_counters(CounterSink&) const {}
};

// Static dispatch inside a batch: one virtual call per thousands of events.
template <class Derived>
class AnalysisOf : public Analysis {
 public:
  void on_events(std::span<const trace::Event> batch) final {
    auto& self = static_cast<Derived&>(*this);
    for (const trace::Event& e : batch) self.on_event(e);
  }

 private:
  friend Derived;
  AnalysisOf() = default;
};

}  // namespace foretell::analysis
