// SPDX-License-Identifier: Apache-2.0

// SectionAccesses: which critical sections of a lock touched a location last.
//
// CP and WCP order a critical section after an earlier one of the same lock if the two touch a
// location in conflicting ways, in different threads. Sections that hold the lock exclusively are
// totally ordered by happens-before, so of all earlier ones that touched the location the latest of
// another thread stands for the rest. Hence two are kept for reads and two for writes: the latest,
// and the latest of any other thread than that. Sections that share the lock are not ordered among
// each other: of those the latest of each thread is kept, in a side table.
//
// Memory: one row per lock and location touched under it, whatever the number of threads and the
// length of the trace.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/ids.h"

namespace foretell::analysis {

enum class Touch : uint8_t { read, write };

template <class Section>
class SectionAccesses {
 public:
  // The section `current` of `thread` touches the object. Calls exclusive(section), shared(section)
  // for what conflicts: before the first touch of this kind by the section, not again.
  // `against` says with which kinds `touch` conflicts.
  template <class Exclusive, class Shared>
  void touch(LockId lock, uint32_t object, ThreadId thread, const Section& current, bool is_shared,
             Touch touch, std::pair<bool, bool> against, Exclusive exclusive, Shared shared) {
    const uint64_t key = uint64_t{object} << 32 | static_cast<uint32_t>(lock);
    Row& row = rows_[key];
    if (is_shared) {
      row.has_shared = true;
      auto& mine = shared_[key].kind[static_cast<size_t>(touch)];
      auto at = std::ranges::find(mine, thread, &Shared_::thread);
      if (at != mine.end() && at->section == current) return;
      if (at == mine.end()) {
        mine.push_back({thread, current});
      } else {
        at->section = current;
      }
    } else {
      LatestTwo& mine = row.kind[static_cast<size_t>(touch)];
      if (mine.thread == thread && mine.latest == current) return;
      if (mine.thread != thread) {
        mine.other = std::move(mine.latest);
        mine.thread = thread;
      }
      mine.latest = current;
    }
    for (size_t kind = 0; kind < 2; ++kind) {
      if (!(kind == 0 ? against.first : against.second)) continue;
      const LatestTwo& theirs = row.kind[kind];
      const Section& latest = theirs.thread == thread ? theirs.other : theirs.latest;
      if (latest != Section()) exclusive(latest);
      if (is_shared || !row.has_shared) continue;
      for (const Shared_& reader : shared_[key].kind[kind]) {
        if (reader.thread != thread) shared(reader.section);
      }
    }
  }

 private:
  static constexpr ThreadId kNoThread{UINT32_MAX};

  struct LatestTwo {
    ThreadId thread = kNoThread;  // of latest
    Section latest{}, other{};
  };
  struct Row {
    LatestTwo kind[2];  // by Touch
    bool has_shared = false;
  };
  struct Shared_ {
    ThreadId thread;
    Section section;
  };
  struct SharedRow {
    std::vector<Shared_> kind[2];
  };

  absl::flat_hash_map<uint64_t, Row> rows_;
  absl::flat_hash_map<uint64_t, SharedRow> shared_;
};

}  // namespace foretell::analysis
