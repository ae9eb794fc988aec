#include "analysis/race/sync_preserving/sync_preserving.h"

#include <algorithm>

namespace foretell {

void SyncPreserving::finish() {
  if (ideals_) return;
  sharing_.finish();
  ideals_ = std::make_unique<Ideals>(sharing_, options_, SyncOrder::kept);
  groups_ = std::make_unique<AccessGroups>(sharing_.place_count());
}

void SyncPreserving::access(const Event& e) {
  ++accesses_;
  const uint64_t write = writes_;
  writes_ += is_write(e.kind);
  const Sharing::Place place = sharing_.place(e.location());
  if (place.number != 0) {
    access_place(e, place, write);
  } else if (e.is_ambiguous()) {
    ideals_->ambiguous_read(e.thread);
  }
}

void SyncPreserving::access_place(const Event& e, Sharing::Place place, uint64_t write) {
  ideals_->need_allocation(e, place.number);
  AccessGroup* mine = nullptr;
  AccessGroups::Location& x = groups_->location(place.number);
  if (place.rivals && ideals_->is_reachable(e.thread)) {
    ++rival_accesses_;
    mine = &groups_->group_of(e, place.number);
    const Step now = ideals_->now(e.thread);
    // Nobody has used the location since an access of this group in this step.
    if (mine->looked_at != now || mine->looked_up_to != x.kept) {
      find_rivals(e, x, *mine);
      mine->looked_at = now;
    }
  }
  if (e.kind == EventKind::Free) groups_->forget(x);
  ideals_->need_frees(e, place.number);
  if (mine) {
    groups_->keep(*mine, x, {e.index, ideals_->now(e.thread), ideals_->ideal(e.thread)});
    mine->looked_up_to = x.kept;
  }
  ideals_->access(e, place.number, write);
}

void SyncPreserving::find_rivals(const Event& e, AccessGroups::Location& x, AccessGroup& mine) {
  const size_t thread = AccessGroups::thread_number(x, e.thread);
  for (uint32_t number : x.groups) {
    AccessGroup& theirs = groups_->group(number);
    if (theirs.thread == e.thread || !kinds_clash(theirs.kind, e.kind)) continue;
    if (mine.number < 64 && (theirs.settled >> mine.number & 1)) continue;
    uint32_t& cursor = AccessGroups::cursor(theirs, thread);
    if (cursor < theirs.accesses.size()) find_race(e, mine, theirs, cursor);
  }
}

void SyncPreserving::find_race(const Event& e, AccessGroup& mine, AccessGroup& theirs,
                               uint32_t& cursor) {
  for (; cursor < theirs.accesses.size(); ++cursor) {
    const KeptAccess& first = theirs.accesses[cursor];
    if (ideals_->contains(e.thread, theirs.thread, first.step)) {
      ++ordered_;
      continue;
    }
    const Ideals::Earlier earlier{theirs.thread, first.step, first.ideal};
    if (ideals_->exclude_each_other(earlier, e.thread)) {
      ++common_lock_;
      continue;
    }
    if (is_enough(mine, theirs)) return;
    ++ideals_made_;
    if (!ideals_->can_meet(earlier, e.thread)) continue;
    ++races_;
    if (mine.site != kNoSite && theirs.site != kNoSite) {
      ++proposed_[std::minmax(mine.site, theirs.site)];
    } else if (mine.number < 64) {
      theirs.settled |= uint64_t{1} << mine.number;
    }
    return sink_.propose({e.location(), theirs.ref(first), EventRef::of(e)});
  }
}

// The pair of sites was proposed often enough.
bool SyncPreserving::is_enough(const AccessGroup& mine, AccessGroup& theirs) {
  if (mine.site == kNoSite || theirs.site == kNoSite) return false;
  auto proposed = proposed_.find(std::minmax(mine.site, theirs.site));
  if (proposed == proposed_.end() || proposed->second < kEnough) return false;
  if (mine.number < 64) theirs.settled |= uint64_t{1} << mine.number;
  return true;
}

void SyncPreserving::report_counters(CounterSink& counters) const {
  counters.count("location without possible race",
                 sharing_.locations() - sharing_.rival_locations());
  counters.count("location that may race", sharing_.rival_locations());
  counters.count("access that cannot race", accesses_ - rival_accesses_);
  counters.count("access that may race", rival_accesses_);
  counters.count("access kept", groups_ ? groups_->kept() : 0);
  counters.count("change of a thread's ideal", ideals_ ? ideals_->changes() : 0);
  counters.count("pair ordered", ordered_);
  counters.count("pair under a common lock", common_lock_);
  counters.count("pair with its ideal computed", ideals_made_);
  counters.count("race", races_);
}

}  // namespace foretell
