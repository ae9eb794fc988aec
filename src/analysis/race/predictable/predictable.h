// SPDX-License-Identifier: Apache-2.0

// All predictable races: every clashing pair that no cheap argument refutes, for the judge.
//
// A pair is refuted here if
//   one of the two must come before the other: it is among what the other needs to happen at all
//   (ideals.h, without the rules about the order of synchronization), or their memory is freed
//   between; both hold a lock that excludes one of them; their location is used by one thread only,
//   or never changed, or always under one lock.
// Everything else is proposed, and the judge (judge/judge.h) finds a witness, a proof that
// there is none, or gives up. With unlimited limits and an exact judge that is every race there is.
//
// Pairs are many and alike, so they are limited: of accesses of one group (access_groups.h) in one
// step of its thread the first stands for all (whenever a later one races, it does); each access is
// compared with the latest `looks` earlier ones of each other group; of each pair of groups and of
// each pair of sites only some are proposed. What was left out is counted (--stats).
//
// Two passes, or one if no location may race. Cost: accesses that may race x groups of their location. Memory: as sync_preserving,
// without the histories of locks.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "analysis/analysis.h"
#include "analysis/race/sync_preserving/access_groups.h"
#include "analysis/race/sync_preserving/ideals.h"
#include "analysis/race/sync_preserving/sharing.h"

namespace foretell::analysis {

struct PredictableLimits {
  uint32_t looks = 64;           // at earlier accesses of a group
  uint32_t pairs_of_groups = 4;  // proposed for one pair of groups
  uint32_t pairs_of_sites = 16;  // proposed for one pair of sites, where there are sites
  bool first_of_step_only = true;

  static constexpr PredictableLimits none() { return {UINT32_MAX, UINT32_MAX, UINT32_MAX, false}; }
};

class Predictable final : public AnalysisOf<Predictable> {
 public:
  Predictable(const AnalysisOptions& options, ProposalSink& sink, PredictableLimits limits = {})
      : options_(options), sink_(sink), limits_(limits), sharing_(options) {}

  [[gnu::always_inline]] void on_event(const trace::Event& e) {
    if (!ideals_) {
      sharing_.on_event(e);
    } else if (!is_access(e.kind)) {
      ideals_->on_sync(e);
    } else {
      access(e);
    }
  }
  void finish() override;
  bool wants_another_pass() override { return ++passes_ < 2 && ideals_; }
  void report_counters(CounterSink& counters) const override;

 private:
  void access(const trace::Event& e);
  void access_place(const trace::Event& e, Sharing::Place place, uint64_t write);
  void find_rivals(const trace::Event& e, AccessGroups::Location& x, AccessGroup& mine);
  void propose_pairs(const trace::Event& e, AccessGroup& mine, AccessGroup& theirs);
  bool may_propose(LocationId location, const AccessGroup& mine, const AccessGroup& theirs);

  const AnalysisOptions options_;
  ProposalSink& sink_;
  const PredictableLimits limits_;
  SharingUse sharing_;
  uint32_t passes_ = 0;
  std::unique_ptr<Ideals> ideals_;  // from the second pass on, if any location may race
  std::unique_ptr<AccessGroups> groups_;
  uint64_t writes_ = 0;
  // How often something was proposed: for a pair of sites, and for groups of a location.
  struct GroupPair {
    LocationId location;
    uint32_t earlier, later;
    bool operator==(const GroupPair&) const = default;
    template <class H>
    friend H AbslHashValue(H state, const GroupPair& p) {
      return H::combine(std::move(state), p.location, p.earlier, p.later);
    }
  };
  absl::flat_hash_map<std::pair<SiteId, SiteId>, uint32_t> of_sites_;  // smaller site first
  absl::flat_hash_map<GroupPair, uint32_t> of_groups_;

  uint64_t rival_accesses_ = 0, ordered_ = 0, common_lock_ = 0, proposed_ = 0, cut_short_ = 0,
           left_out_ = 0;
};

}  // namespace foretell::analysis
