// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/predictable/predictable.h"

#include <algorithm>

namespace foretell::analysis {

void Predictable::finish() {
  if (ideals_) return;
  sharing_.finish();
  if (sharing_->rival_locations() == 0) return;
  ideals_ = std::make_unique<Ideals>(*sharing_, options_, SyncOrder::free);
  groups_ = std::make_unique<AccessGroups>(sharing_->place_count());
}

void Predictable::access(const trace::Event& e) {
  const uint64_t write = writes_;
  writes_ += is_write(e.kind);
  const Sharing::Place place = sharing_->place(e.location());
  if (place.number != 0) {
    access_place(e, place, write);
  } else if (e.is_ambiguous()) {
    ideals_->ambiguous_read(e.thread);
  }
}

void Predictable::access_place(const trace::Event& e, Sharing::Place place, uint64_t write) {
  ideals_->need_allocation(e, place.number);
  AccessGroup* mine = nullptr;
  AccessGroups::Location& x = groups_->location(place.number);
  if (place.rivals && ideals_->is_reachable(e.thread)) {
    ++rival_accesses_;
    mine = &groups_->group_of(e, place.number);
    find_rivals(e, x, *mine);
  }
  if (e.kind == trace::EventKind::Free) groups_->forget(x);
  ideals_->need_frees(e, place.number);
  if (mine) {
    const KeptAccess kept{e.index, ideals_->now(e.thread), ideals_->ideal(e.thread)};
    if (limits_.first_of_step_only) {
      groups_->keep(*mine, x, kept);
    } else {
      groups_->keep_repeated(*mine, x, kept);
    }
    mine->read = static_cast<uint32_t>(x.log.size());
  }
  ideals_->access(e, place.number, write);
}

void Predictable::find_rivals(const trace::Event& e, AccessGroups::Location& x, AccessGroup& mine) {
  const Step now = ideals_->now(e.thread);
  const bool nothing_new = mine.looked_at == now && mine.read == x.log.size();
  if (limits_.first_of_step_only && nothing_new) return;
  mine.looked_at = now;
  for (uint32_t number = 0; number < x.groups.size(); ++number) {
    if (mine.is_settled(number)) continue;
    AccessGroup& theirs = groups_->group(x, number);
    if (theirs.thread == mine.thread || !kinds_clash(theirs.kind, mine.kind)) {
      mine.settle(number);
    } else {
      propose_pairs(e, mine, theirs);
    }
  }
}

void Predictable::propose_pairs(const trace::Event& e, AccessGroup& mine, AccessGroup& theirs) {
  AccessGroup::Cursor& cursor = theirs.cursor(mine.thread_number);
  const std::vector<KeptAccess>& accesses = theirs.accesses;
  while (cursor.next < accesses.size() &&
         ideals_->contains(e.thread, theirs.thread, accesses[cursor.next].step)) {
    ++cursor.next;
    ++ordered_;
  }
  const size_t count = accesses.size() - cursor.next;
  const size_t looks = std::min<size_t>(count, limits_.looks);
  left_out_ += count - looks;
  for (size_t i = 0; i < looks; ++i) {
    const KeptAccess& first = accesses[accesses.size() - 1 - i];
    if (ideals_->exclude_each_other({theirs.thread, first.step, first.ideal}, e.thread)) {
      ++common_lock_;
      continue;
    }
    if (!may_propose(e.location(), mine, theirs)) {
      left_out_ += looks - i;
      ++cut_short_;
      return mine.settle(theirs.number);
    }
    ++proposed_;
    sink_.propose(
        finding::Proposal::race(e.location(), theirs.ref(first), finding::EventRef::of(e)));
  }
}

bool Predictable::may_propose(LocationId location, const AccessGroup& mine,
                              const AccessGroup& theirs) {
  uint32_t& of_groups = of_groups_[{location, theirs.number, mine.number}];
  if (of_groups == limits_.pairs_of_groups) return false;
  if (mine.site != kNoSite && theirs.site != kNoSite) {
    uint32_t& of_sites = of_sites_[std::minmax(mine.site, theirs.site)];
    if (of_sites == limits_.pairs_of_sites) return false;
    ++of_sites;
  }
  ++of_groups;
  return true;
}

void Predictable::report_counters(CounterSink& counters) const {
  counters.count("location without possible race",
                 sharing_->locations() - sharing_->rival_locations());
  counters.count("location that may race", sharing_->rival_locations());
  counters.count("access that may race", rival_accesses_);
  counters.count("access kept", groups_ ? groups_->kept() : 0);
  counters.count("pair ordered", ordered_);
  counters.count("pair under a common lock", common_lock_);
  counters.count("pair proposed", proposed_);
  counters.count("pair of groups cut short", cut_short_);
  counters.count("pair left out, at least", left_out_);
}

}  // namespace foretell::analysis
