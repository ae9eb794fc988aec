// SPDX-License-Identifier: Apache-2.0

#include "analysis/determinism/writes_by_thread.h"

#include <algorithm>
#include <utility>

namespace foretell::analysis {

WritesByThread::WritesByThread(const judge::TraceFacts& facts) {
  for (uint32_t i = 0; i < facts.location_count(); ++i) {
    first_run_.push_back(static_cast<uint32_t>(runs_.size()));
    const auto begin = static_cast<ptrdiff_t>(writes_.size());
    const std::span<const judge::Position> writes = facts.writes_of(LocationId{i});
    writes_.insert(writes_.end(), writes.begin(), writes.end());
    std::ranges::sort(writes_.begin() + begin, writes_.end(), {},
                      [&](judge::Position p) { return std::pair(facts.thread_index(p), p); });
    for (size_t at = static_cast<size_t>(begin); at < writes_.size(); ++at) {
      const auto thread = static_cast<uint32_t>(facts.thread_index(writes_[at]));
      const bool same = runs_.size() > first_run_.back() && runs_.back().thread == thread;
      if (!same) runs_.push_back({thread, static_cast<uint32_t>(at), 0});
      runs_.back().end = static_cast<uint32_t>(at + 1);
    }
  }
  first_run_.push_back(static_cast<uint32_t>(runs_.size()));
}

}  // namespace foretell::analysis
