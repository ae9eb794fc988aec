// SPDX-License-Identifier: Apache-2.0

// ProposalCollector: merges what several analyses propose on one trace.
//
// A race in a loop is proposed once per iteration; users want it once. Proposals of a kind with the
// same sites (or, where a trace has no sites, the same objects, threads and operations) share a
// group. A group keeps the earliest proposals of each analysis as candidates, because the judge may
// fail to build a witness for one pair and succeed for the next; and an analysis that is often
// right must not find all places taken by one that is not.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "analysis/analysis.h"

namespace foretell::pipeline {

struct ProposalGroup {
  std::vector<finding::Proposal> candidates;  // in the order they were proposed, a few at most
  uint32_t first_analysis = 0;                // the one that proposed it first
  uint64_t proposals = 0;                     // how often that one did
  uint32_t analyses = 0;                      // bit i: the i-th selected analysis proposed it
  uint32_t judged_by = 0;                     // likewise, only those whose word the judge examines
  bool left_out = false;                      // there were more different ones than candidates
  std::vector<uint8_t> kept;                  // by analysis: how many of the candidates are its own
};

class ProposalCollector {
 public:
  using Filter = std::function<bool(const finding::Proposal& race)>;

  // `every_pair`: each pair of events is a group of its own. Races of which `is_harmless` says so
  // are only counted.
  explicit ProposalCollector(bool every_pair, Filter is_harmless = {});
  ~ProposalCollector();

  struct SinkOptions {
    bool judged = true;
    bool observed = false;  // its races are unordered in the recorded run
  };
  // The sink of the i-th analysis. Lives as long as the collector.
  analysis::ProposalSink& sink(uint32_t analysis, SinkOptions options);

  std::vector<ProposalGroup>& groups() { return groups_; }
  uint64_t dropped() const { return dropped_; }  // groups beyond kMostGroups
  uint64_t harmless(uint32_t analysis) const;    // what the i-th analysis proposed in vain

  static constexpr size_t kMostCandidates = 8;  // of one analysis
  static constexpr size_t kMostGroups = 100'000;

 private:
  class Sink;
  // The kind and the sides, in no particular order; of many sides the first ones and a digest of
  // the others.
  using Key = std::array<uint64_t, 5>;

  uint64_t side_of(const finding::EventRef& e, bool sites) const;
  Key key_of_race(const finding::Proposal& race) const;
  Key key_of(const finding::Proposal& proposal) const;
  bool is_harmless(uint32_t analysis, const finding::Proposal& proposal);
  void add(uint32_t analysis, bool judged, finding::Proposal proposal);

  bool every_pair_;
  Filter is_harmless_;
  std::vector<uint64_t> harmless_;  // by analysis
  std::vector<std::unique_ptr<Sink>> sinks_;
  absl::flat_hash_map<Key, size_t> index_;
  std::vector<ProposalGroup> groups_;
  uint64_t dropped_ = 0;
};

}  // namespace foretell::pipeline
