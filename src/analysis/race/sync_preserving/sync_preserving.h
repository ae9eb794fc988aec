// SPDX-License-Identifier: Apache-2.0

// Sync-preserving races (Mathur, Pavlogiannis, Viswanathan: Optimal prediction of
// synchronization-preserving races, POPL 2021).
//
// A reordering is sync-preserving if critical sections on one lock, as far as it contains them,
// keep their recorded order; docs/semantics.md says what that means for every other kind of event.
// Two accesses race if some sync-preserving reordering is followed by both. Compared with
// happens-before, a reordering may leave out what neither access needs: a section whose data nobody
// needed orders nothing.
//
// The idea: the least set of events that every such reordering contains (ideals.h) is, in recorded
// order, such a reordering itself. So the pair races if and only if its ideal contains neither of
// the two: no search. Ideals grow along each thread. Once an earlier access is in its ideal with
// some later access, it is for all accesses of that thread to come, and is never looked at again.
//
// Sound: every pair proposed is a race, and its ideal in recorded order the witness.
// Complete: for each location and each two groups (thread, operation, site) of accesses to it, if a
// pair of the two groups is a sync-preserving race, one is proposed; except that a pair of sites
// that was proposed kEnough times is not looked for at further locations.
// Misses races that need two critical sections swapped, a notify moved past a wait, and so on.
//
// Two passes: the first (sharing.h) finds what need not be looked at, and if that is everything, there
// is no second. Cost: each kept access is
// compared at most once with each other thread in vain; a comparison is a look at a clock, or an
// ideal (ideals.h). Memory grows with the critical sections, the accesses that may race and the
// writes that are read by other threads: see ideals.h, access_groups.h.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <utility>

#include "analysis/analysis.h"
#include "analysis/race/sync_preserving/access_groups.h"
#include "analysis/race/sync_preserving/ideals.h"
#include "analysis/race/sync_preserving/sharing.h"

namespace foretell::analysis {

class SyncPreserving final : public AnalysisOf<SyncPreserving> {
 public:
  static constexpr uint32_t kEnough = 4;

  SyncPreserving(const AnalysisOptions& options, ProposalSink& sink)
      : options_(options), sink_(sink), sharing_(options) {}

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
  bool find_race(const trace::Event& e, const AccessGroup& mine, const AccessGroup& theirs,
                 AccessGroup::Cursor& cursor);

  const AnalysisOptions options_;
  ProposalSink& sink_;
  SharingUse sharing_;
  uint32_t passes_ = 0;
  std::unique_ptr<Ideals> ideals_;  // from the second pass on, if any location may race
  std::unique_ptr<AccessGroups> groups_;
  uint64_t writes_ = 0;
  absl::flat_hash_map<std::pair<SiteId, SiteId>, uint32_t> proposed_;  // smaller site first

  uint64_t accesses_ = 0, rival_accesses_ = 0, ordered_ = 0, common_lock_ = 0, ideals_made_ = 0,
           races_ = 0;
};

}  // namespace foretell::analysis
