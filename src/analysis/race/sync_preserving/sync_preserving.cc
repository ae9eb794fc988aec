// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/sync_preserving/sync_preserving.h"

#include <algorithm>

namespace foretell::analysis {

void SyncPreserving::finish() {
  if (ideals_) return;
  sharing_.finish();
  if (sharing_->rival_locations() == 0) return;
  ideals_ = std::make_unique<Ideals>(*sharing_, options_, SyncOrder::kept);
  groups_ = std::make_unique<AccessGroups>(sharing_->place_count());
}

void SyncPreserving::access(const trace::Event& e) {
  ++accesses_;
  const uint64_t write = writes_;
  writes_ += is_write(e.kind);
  const Sharing::Place place = sharing_->place(e.location());
  if (place.number != 0) {
    access_place(e, place, write);
  } else if (e.is_ambiguous()) {
    ideals_->ambiguous_read(e.thread);
  }
}

void SyncPreserving::access_place(const trace::Event& e, Sharing::Place place, uint64_t write) {
  ideals_->need_allocation(e, place.number);
  AccessGroup* mine = nullptr;
  AccessGroups::Location& x = groups_->location(place.number);
  if (place.rivals && ideals_->is_reachable(e.thread)) {
    ++rival_accesses_;
    mine = &groups_->group_of(e, place.number);
    const Step now = ideals_->now(e.thread);
    if (!groups_->has_looked(*mine, x, now)) find_rivals(e, x, *mine);
    mine->looked_at = now;
  }
  if (e.kind == trace::EventKind::Free) groups_->forget(x);
  ideals_->need_frees(e, place.number);
  if (mine) groups_->keep(*mine, x, {e.index, ideals_->now(e.thread), ideals_->ideal(e.thread)});
  ideals_->access(e, place.number, write);
}

void SyncPreserving::find_rivals(const trace::Event& e, AccessGroups::Location& x,
                                 AccessGroup& mine) {
  groups_->read_log(mine, x, [&](ThreadId thread, Step step) {
    const bool ordered = ideals_->contains(e.thread, thread, step);
    ordered_ += ordered;
    return ordered;
  });
  groups_->read_arrivals(mine, x, [&](const AccessGroup& theirs, AccessGroup::Cursor& cursor) {
    return find_race(e, mine, theirs, cursor);
  });
}

// True if there is nothing more to be found between the two groups; else `theirs` has no access
// left that could race with this thread.
bool SyncPreserving::find_race(const trace::Event& e, const AccessGroup& mine,
                               const AccessGroup& theirs, AccessGroup::Cursor& cursor) {
  for (; cursor.next < theirs.accesses.size(); ++cursor.next) {
    const KeptAccess& first = theirs.accesses[cursor.next];
    if (ideals_->contains(e.thread, theirs.thread, first.step)) continue;
    const Ideals::Earlier earlier{theirs.thread, first.step, first.ideal};
    if (ideals_->exclude_each_other(earlier, e.thread)) {
      ++common_lock_;
      continue;
    }
    const bool sites = mine.site != kNoSite && theirs.site != kNoSite;
    uint32_t* proposed = sites ? &proposed_[std::minmax(mine.site, theirs.site)] : nullptr;
    if (proposed && *proposed == kEnough) return true;
    ++ideals_made_;
    if (!ideals_->can_meet(earlier, e.thread)) continue;
    ++races_;
    if (proposed) ++*proposed;
    sink_.propose(
        finding::Proposal::race(e.location(), theirs.ref(first), finding::EventRef::of(e)));
    return true;
  }
  return false;
}

void SyncPreserving::report_counters(CounterSink& counters) const {
  counters.count("location without possible race",
                 sharing_->locations() - sharing_->rival_locations());
  counters.count("location that may race", sharing_->rival_locations());
  if (ideals_) counters.count("access that cannot race", accesses_ - rival_accesses_);
  counters.count("access that may race", rival_accesses_);
  counters.count("access kept", groups_ ? groups_->kept() : 0);
  counters.count("change of a thread's ideal", ideals_ ? ideals_->changes() : 0);
  counters.count("pair ordered", ordered_);
  counters.count("pair under a common lock", common_lock_);
  counters.count("pair with its ideal computed", ideals_made_);
  counters.count("race", races_);
}

}  // namespace foretell::analysis
