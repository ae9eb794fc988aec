// AccessGroups: the accesses that may race, by location and by who does what where.
//
// A group is the accesses of one location by one thread with one operation at one site. Users want
// to hear of a race once per pair of sites, so pairs are looked for per pair of groups.
//
// Of accesses of a group in the same step of the thread only the first is kept: a later one needs
// whatever the first needs, and they are in the same ideals. For each group and each other thread
// there is a cursor: everything before it is of no more use to that thread.
//
// Memory grows with the trace: 16 bytes per access kept.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <vector>

#include "analysis/finding.h"
#include "analysis/race/sync_preserving/step_clocks.h"

namespace foretell {

struct KeptAccess {
  EventIndex index;
  Step step;
  ClockId ideal;
};
static_assert(sizeof(KeptAccess) == 16);

struct AccessGroup {
  ThreadId thread{};
  EventKind kind{};
  SiteId site = kNoSite;
  uint32_t number = 0;        // in its location
  uint64_t settled = 0;       // bit i: nothing more to be found with group i of the location
  Step looked_at = 0;         // step of the latest access that was compared with the other groups
  uint32_t looked_up_to = 0;  // how many accesses of the location there were then
  std::vector<KeptAccess> accesses;
  std::vector<uint32_t> cursors;  // by thread of the location

  EventRef ref(const KeptAccess& access) const { return {access.index, thread, kind, site}; }
};

class AccessGroups {
 public:
  struct Location {
    std::vector<uint32_t> groups;
    std::vector<ThreadId> threads;
    uint32_t kept = 0;  // accesses, ever
  };

  explicit AccessGroups(size_t places) : locations_(places) {}

  Location& location(uint32_t place) { return locations_[place]; }
  AccessGroup& group(uint32_t number) { return groups_[number]; }

  // The group of an access; references to other groups do not survive a new one.
  AccessGroup& group_of(const Event& e, uint32_t place) {
    auto [it, fresh] = index_.try_emplace(Key{place, e.thread, e.site, e.kind},
                                          static_cast<uint32_t>(groups_.size()));
    if (!fresh) return groups_[it->second];
    Location& x = locations_[place];
    AccessGroup& group = groups_.emplace_back();
    group.thread = e.thread;
    group.kind = e.kind;
    group.site = e.site;
    group.number = static_cast<uint32_t>(x.groups.size());
    x.groups.push_back(it->second);
    return group;
  }

  // Where `group` has been read up to by `thread`.
  static uint32_t& cursor(AccessGroup& group, size_t thread_of_location) {
    if (thread_of_location >= group.cursors.size()) group.cursors.resize(thread_of_location + 1);
    return group.cursors[thread_of_location];
  }
  static size_t thread_number(Location& x, ThreadId thread) {
    auto it = std::ranges::find(x.threads, thread);
    if (it == x.threads.end()) it = x.threads.insert(it, thread);
    return static_cast<size_t>(it - x.threads.begin());
  }

  void keep(AccessGroup& group, Location& x, const KeptAccess& access) {
    if (!group.accesses.empty() && group.accesses.back().step == access.step) return;
    group.accesses.push_back(access);
    ++x.kept;
    ++kept_;
  }

  // After a free nothing that came before it races with what comes later.
  void forget(Location& x) {
    for (uint32_t number : x.groups) {
      groups_[number].accesses.clear();
      groups_[number].cursors.clear();
      groups_[number].looked_at = 0;
    }
  }

  uint64_t kept() const { return kept_; }
  size_t count() const { return groups_.size(); }

 private:
  struct Key {
    uint32_t place;
    ThreadId thread;
    SiteId site;
    EventKind kind;
    bool operator==(const Key&) const = default;
    template <class H>
    friend H AbslHashValue(H state, const Key& k) {
      return H::combine(std::move(state), k.place, k.thread, k.site, k.kind);
    }
  };

  std::vector<Location> locations_;  // by place
  std::vector<AccessGroup> groups_;
  absl::flat_hash_map<Key, uint32_t> index_;
  uint64_t kept_ = 0;
};

// Whether two accesses of one location by different threads clash (trace/event.h).
constexpr bool kinds_clash(EventKind a, EventKind b) {
  const bool both_atomic = is_atomic_access(a) && is_atomic_access(b);
  const bool changes = is_write(a) || is_write(b) || a == EventKind::Free || b == EventKind::Free;
  return changes && !both_atomic;
}

}  // namespace foretell
