// SPDX-License-Identifier: Apache-2.0

// nondeterminism, last_writer: reads that can return another value than they did.
//
// Both propose a read and another write, or the value before all writes, that it could see
// (exact/read_views.h); the judge then builds the interleaving that is shown and replayed.
//   nondeterminism  every read. What NONDET calls a non-view-preserving read. Under proper locking
//                   that is normal: the second thread reads what the first one wrote.
//   last_writer     only results: reads that come after all writes of the location in every
//                   schedule, where the schedule decides which write was the last. Correct
//                   programs seldom have them, so this analysis runs by default.
// Another write of the same value changes nothing: it is only counted. Of many triplets
// with the same sites the first few are proposed.
//
// The question needs the whole trace: up to kMostEvents events are kept, 40 bytes each; what comes
// after them is counted and not examined. See read_views.h for the time: the judge may spend
// kMostEffort (results: kMostEffortUnasked, some seconds) in addition to a little for each read.
// Undecided reads are proposed, too (results: a few), and become at most possible.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/determinism/exact/read_views.h"

namespace foretell::analysis {

// What reads return, where the trace knows it.
class ReadValues {
 public:
  explicit ReadValues(const judge::TraceFacts& facts);

  // In the recorded run.
  static std::optional<uint64_t> returned(const trace::Event& read);
  // From that write; from none, if some read saw the location before all writes.
  std::optional<uint64_t> from(LocationId location, judge::Position writer) const;

 private:
  const judge::TraceFacts& facts_;
  std::vector<std::optional<uint64_t>> initial_;  // by location
};

class Nondeterminism : public Analysis {
 public:
  Nondeterminism(const AnalysisOptions& options, ProposalSink& sink)
      : Nondeterminism(options, sink, Which::every_read) {}

  void on_events(std::span<const trace::Event> batch) override;
  void finish() override;
  void report_counters(CounterSink& sink) const override;

  static constexpr size_t kMostEvents = size_t{1} << 20;
  static constexpr uint32_t kMostOfSites = 4;
  static constexpr uint64_t kMostEffort = uint64_t{1} << 32, kMostEffortUnasked = 1 << 22;
  static constexpr uint32_t kMostUndecided = 4;

 protected:
  enum class Which : uint8_t { every_read, every_read_unasked, results };
  Nondeterminism(const AnalysisOptions& options, ProposalSink& sink, Which which)
      : options_(options), sink_(sink), which_(which) {}

 private:
  void look_at(ReadViews& views, const ReadValues& values, const judge::TraceFacts& facts,
               judge::Position read);

  const AnalysisOptions options_;
  ProposalSink& sink_;
  bool was_asked() const { return which_ == Which::every_read; }

  const Which which_;
  trace::Trace trace_;
  absl::flat_hash_map<std::array<uint64_t, 2>, uint32_t> proposed_;  // by the two sites
  ViewCounts counts_;
  uint64_t same_value_ = 0, left_out_ = 0, reads_left_out_ = 0, proposals_ = 0;
  uint32_t undecided_ = 0;
};

// Every read, with as little effort as what nobody asked for is worth.
class OtherReads final : public Nondeterminism {
 public:
  OtherReads(const AnalysisOptions& options, ProposalSink& sink)
      : Nondeterminism(options, sink, Which::every_read_unasked) {}
};

class LastWriter final : public Nondeterminism {
 public:
  LastWriter(const AnalysisOptions& options, ProposalSink& sink)
      : Nondeterminism(options, sink, Which::results) {}
};

}  // namespace foretell::analysis
