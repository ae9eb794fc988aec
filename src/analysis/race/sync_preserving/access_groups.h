// SPDX-License-Identifier: Apache-2.0

// AccessGroups: the accesses that may race, by location and by who does what where.
//
// A group is the accesses of one location by one thread with one operation at one site. Users want
// to hear of a race once per pair of sites, so pairs are looked for per pair of groups, and once
// one is found the pair of groups is settled.
//
// Of accesses of a group in the same step of the thread only the first is kept: a later one needs
// whatever the first needs, and they are in the same ideals. An access that is of no use to a
// thread once (ordered before it, or unable to meet it) never is again. So each thread has
//   a cursor    into each group of others: the first access that may still be of use to it;
//   arrivals    the groups that came to have such an access, in that order.
// A thread reads the location's log once, to find arrivals; each of its groups reads its arrivals
// once, to find races.
//
// Memory grows with the trace: 28 bytes per access kept, 4 per arrival, a bit per settled pair.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <utility>
#include <vector>

#include "analysis/race/sync_preserving/step_clocks.h"
#include "finding/finding.h"

namespace foretell::analysis {

struct KeptAccess {
  EventIndex index;
  Step step;
  ClockId ideal;
};
static_assert(sizeof(KeptAccess) == 16);

class AccessGroup {
 public:
  ThreadId thread{};
  trace::EventKind kind{};
  SiteId site = kNoSite;
  uint32_t number = 0;         // in its location
  uint32_t thread_number = 0;  // in its location
  Step looked_at = 0;          // step of the latest access that looked for rivals
  uint32_t read = 0;           // how many of its thread's arrivals, or of the log
  std::vector<KeptAccess> accesses;

  finding::EventRef ref(const KeptAccess& access) const {
    return {access.index, thread, kind, site};
  }

  // Whether nothing more is to be found with group `other` as the earlier one.
  bool is_settled(uint32_t other) const {
    return other / 64 < settled_.size() && (settled_[other / 64] >> other % 64 & 1);
  }
  void settle(uint32_t other) {
    if (other / 64 >= settled_.size()) settled_.resize(other / 64 + 1);
    settled_[other / 64] |= uint64_t{1} << other % 64;
  }

  // What a thread of the location knows about this group.
  struct Cursor {
    uint32_t next : 31 = 0;  // everything before is of no use
    uint32_t live : 1 = 0;   // has arrived, and not been read to its end since
  };
  Cursor& cursor(uint32_t of_thread) {
    if (of_thread >= cursors_.size()) cursors_.resize(of_thread + 1);
    return cursors_[of_thread];
  }
  void forget() {
    accesses.clear();
    cursors_.clear();
    looked_at = 0;
    read = 0;
  }

 private:
  std::vector<uint64_t> settled_;  // by number of the other group
  std::vector<Cursor> cursors_;    // by thread of the location
};

// Whether two accesses of one location by different threads clash (trace/event.h).
constexpr bool kinds_clash(trace::EventKind a, trace::EventKind b) {
  const bool both_atomic = is_atomic_access(a) && is_atomic_access(b);
  const bool changes =
      is_write(a) || is_write(b) || a == trace::EventKind::Free || b == trace::EventKind::Free;
  return changes && !both_atomic;
}

class AccessGroups {
 public:
  struct LogEntry {
    uint32_t group;
    ThreadId thread;
    Step step;
  };
  struct Reader {
    ThreadId thread;
    uint32_t log_read = 0;
    std::vector<uint32_t> arrivals = {};  // groups, by their number in the location
  };
  struct Location {
    std::vector<uint32_t> groups;  // by their number in the location
    std::vector<LogEntry> log;     // the accesses kept
    std::vector<Reader> threads;
  };

  explicit AccessGroups(size_t places) : locations_(places) {}

  Location& location(uint32_t place) { return locations_[place]; }
  AccessGroup& group(const Location& x, uint32_t number) { return groups_[x.groups[number]]; }

  // The group of an access; references to other groups do not survive a new one.
  AccessGroup& group_of(const trace::Event& e, uint32_t place);
  // Adds an access to its group, unless one of the same step is there.
  void keep(AccessGroup& group, Location& x, const KeptAccess& access) {
    if (group.accesses.empty() || group.accesses.back().step != access.step) {
      keep_repeated(group, x, access);
    }
  }
  void keep_repeated(AccessGroup& group, Location& x, const KeptAccess& access);
  // After a free nothing that came before it races with what comes later.
  void forget(Location& x);

  // Whether an access of `mine` in this step need not look for rivals: an earlier one did, and no
  // other thread has used the location since.
  bool has_looked(const AccessGroup& mine, const Location& x, Step step) const {
    const Reader& reader = x.threads[mine.thread_number];
    return mine.looked_at == step && reader.log_read == x.log.size() &&
           mine.read == reader.arrivals.size();
  }

  // Finds arrivals for the thread of `mine`. `is_useless(thread, step)` says which accesses it
  // need not hear of.
  void read_log(const AccessGroup& mine, Location& x, auto is_useless) {
    Reader& reader = x.threads[mine.thread_number];
    for (; reader.log_read < x.log.size(); ++reader.log_read) {
      const LogEntry& entry = x.log[reader.log_read];
      if (entry.thread == mine.thread || is_useless(entry.thread, entry.step)) continue;
      AccessGroup::Cursor& cursor = group(x, entry.group).cursor(mine.thread_number);
      if (cursor.live) continue;
      cursor.live = true;
      reader.arrivals.push_back(entry.group);
    }
  }

  // Calls `look(theirs, cursor)` for each arrival that `mine` has not looked at and that clashes
  // with it and is not settled; settles it if that returns true.
  void read_arrivals(AccessGroup& mine, Location& x, auto look) {
    const std::vector<uint32_t>& arrivals = x.threads[mine.thread_number].arrivals;
    for (; mine.read < arrivals.size(); ++mine.read) {
      const uint32_t number = arrivals[mine.read];
      if (mine.is_settled(number)) continue;
      AccessGroup& theirs = group(x, number);
      AccessGroup::Cursor& cursor = theirs.cursor(mine.thread_number);
      if (!cursor.live || !kinds_clash(theirs.kind, mine.kind)) continue;
      if (look(theirs, cursor)) mine.settle(number);
      if (cursor.next == theirs.accesses.size()) cursor.live = false;
    }
  }

  uint64_t kept() const { return kept_; }
  size_t count() const { return groups_.size(); }

 private:
  struct Key {
    uint32_t place;
    ThreadId thread;
    SiteId site;
    trace::EventKind kind;
    bool operator==(const Key&) const = default;
    template <class H>
    friend H AbslHashValue(H state, const Key& k) {
      return H::combine(std::move(state), k.place, k.thread, k.site, k.kind);
    }
  };

  void add(const trace::Event& e, uint32_t place, uint32_t number);

  std::vector<Location> locations_;  // by place
  std::vector<AccessGroup> groups_;
  absl::flat_hash_map<Key, uint32_t> index_;
  absl::flat_hash_map<std::pair<uint32_t, ThreadId>, uint32_t> readers_;  // number in its place
  uint64_t kept_ = 0;
};

}  // namespace foretell::analysis
