// SPDX-License-Identifier: Apache-2.0

#include "trace/recording/contested_memory.h"

#include <queue>
#include <vector>

#include "trace/recording/record_cursor.h"

namespace foretell::recording {
namespace {

constexpr uint64_t kForever = UINT64_MAX;

// The latest ends of segments that touched a piece of memory: of any thread, and of another one.
struct LatestEnds {
  uint64_t thread = 0, end = 0, other_end = 0;

  void add(uint64_t by, uint64_t until) {
    if (by == thread || end == 0) {
      thread = by;
      end = std::max(end, until);
    } else if (until > end) {
      other_end = end;
      thread = by;
      end = until;
    } else {
      other_end = std::max(other_end, until);
    }
  }
  uint64_t of_others(uint64_t than) const { return thread == than ? other_end : end; }
};

struct History {
  LatestEnds any, writes;
};

// How a segment touches a piece of memory: whether it counts for others, and against whom it is
// held, each as read or write.
enum Touch : uint8_t { kCountsRead = 1, kCountsWrite = 2, kChecksRead = 4, kChecksWrite = 8 };

// Pieces of all sizes in one table. A small access is checked against small accesses of its eight
// bytes and ranges of its page; a range against everything in its pages.
enum class Piece : uint8_t { granule, page, page_range, everything, huge_range };

constexpr uint64_t key_of(Piece piece, uint64_t place = 0) {
  return place << 3 | static_cast<uint64_t>(piece);
}

}  // namespace

class ContestedMemory::Walk {
 public:
  Walk(const ChunkStreams& streams, SiteTable& sites, ContestedMemory& found)
      : sites_(sites), found_(found) {
    for (const ChunkStream& stream : streams.events()) {
      lanes_.push_back({RecordCursor(streams, stream, sites.compact_ops()), stream.thread});
    }
  }

  Result<void> run() {
    for (size_t i = 0; i < lanes_.size(); ++i) queue_.emplace(0, i);
    while (!queue_.empty()) {
      const auto [begin, place] = queue_.top();
      queue_.pop();
      if (auto done = segment(lanes_[place], place, begin); !done) return done;
    }
    return {};
  }

 private:
  struct Lane {
    RecordCursor cursor;
    uint64_t thread;
  };

  // The synchronizing step at `begin`, if any, and the segment after it.
  Result<void> segment(Lane& lane, size_t place, uint64_t begin) {
    bool at_step = begin > 0;
    for (;;) {
      Record record{};
      uint64_t extensions[2] = {};
      const RecordCursor::Next next = lane.cursor.next(record, extensions);
      if (next == RecordCursor::Next::failed) return std::unexpected(lane.cursor.error());
      if (next == RecordCursor::Next::end) {
        apply(lane.thread, begin, kForever);
        return {};
      }
      if (record.op() == Op::Sequence) {
        const uint64_t number = record.address() + 1;
        apply(lane.thread, begin, std::max(number, begin));
        queue_.emplace(std::max(number, begin), place);
        return {};
      }
      if (kIsStep[static_cast<size_t>(record.op())] == 0) continue;
      touch(access_of(record, extensions, sites_));
      if (at_step) apply(lane.thread, begin, begin);
      at_step = false;
    }
  }

  void touch(const MemoryAccess& access) {
    if (access.size == 0) return;
    const uint8_t counts = (access.reads ? kCountsRead : 0) | (access.writes ? kCountsWrite : 0);
    const uint8_t checks = access.writes ? kChecksWrite : kChecksRead;
    const uint64_t last = access.address + access.size - 1;
    touched_[key_of(Piece::everything)] |= counts;
    if (access.size >= kHugeRange) {
      touched_[key_of(Piece::everything)] |= checks;
      touched_[key_of(Piece::huge_range)] |= counts;
      return;
    }
    touched_[key_of(Piece::huge_range)] |= checks;
    const bool is_range = access.size >= kPage;
    for (uint64_t page = access.address / kPage; page <= last / kPage; ++page) {
      touched_[key_of(Piece::page, page)] |= counts | (is_range ? checks : 0);
      touched_[key_of(Piece::page_range, page)] |= is_range ? counts : checks;
    }
    if (is_range) return;
    for (uint64_t granule = access.address / 8; granule <= last / 8; ++granule) {
      touched_[key_of(Piece::granule, granule)] |= counts | checks;
    }
  }

  void apply(uint64_t thread, uint64_t begin, uint64_t end) {
    for (const auto& [key, how] : touched_) {
      History& history = histories_[key];
      const bool contested = ((how & kChecksWrite) != 0 && history.any.of_others(thread) > begin) ||
                             ((how & kChecksRead) != 0 && history.writes.of_others(thread) > begin);
      if (contested) mark(key);
      if ((how & (kCountsRead | kCountsWrite)) != 0) history.any.add(thread, end);
      if ((how & kCountsWrite) != 0) history.writes.add(thread, end);
    }
    touched_.clear();
  }

  void mark(uint64_t key) {
    switch (static_cast<Piece>(key & 7)) {
      case Piece::granule:
        found_.granules_.insert(key >> 3);
        break;
      case Piece::page:
      case Piece::page_range:
        found_.pages_.insert(key >> 3);
        break;
      case Piece::everything:
      case Piece::huge_range:
        found_.everything_ = true;
        break;
    }
  }

  SiteTable& sites_;
  ContestedMemory& found_;
  std::vector<Lane> lanes_;
  using Beginning = std::pair<uint64_t, size_t>;  // number, place in lanes_
  std::priority_queue<Beginning, std::vector<Beginning>, std::greater<>> queue_;
  absl::flat_hash_map<uint64_t, uint8_t> touched_;  // of the present segment
  absl::flat_hash_map<uint64_t, History> histories_;
};

Result<ContestedMemory> ContestedMemory::find(const ChunkStreams& streams, SiteTable& sites) {
  ContestedMemory found;
  if (auto done = Walk(streams, sites, found).run(); !done) {
    return std::unexpected(std::move(done).error());
  }
  for (const ChunkStream& stream : streams.events()) {
    RecordCursor cursor(streams, stream, sites.compact_ops());
    Record record{};
    uint64_t extensions[2] = {};
    RecordCursor::Next next;
    while ((next = cursor.next(record, extensions)) == RecordCursor::Next::record) {
      const MemoryAccess access = access_of(record, extensions, sites);
      if (found.may_change(access)) found.add_write(access);
    }
    if (next == RecordCursor::Next::failed) return std::unexpected(cursor.error());
  }
  return found;
}

bool ContestedMemory::contains(const MemoryAccess& access) const {
  if (access.size == 0) return false;
  if (everything_) return true;
  const uint64_t last = access.address + access.size - 1;
  // A range of pages is contested as a whole if at all, except by its pages.
  if (access.size < kHugeRange) {
    for (uint64_t page = access.address / kPage; page <= last / kPage; ++page) {
      if (pages_.contains(page)) return true;
    }
  }
  if (access.size >= kPage) return false;
  for (uint64_t granule = access.address / 8; granule <= last / 8; ++granule) {
    if (granules_.contains(granule)) return true;
  }
  return false;
}

void ContestedMemory::add_write(const MemoryAccess& access) {
  const uint64_t last = access.address + access.size - 1;
  if (access.size >= kHugeRange) {
    huge_writes_ = true;
  } else if (access.size >= kPage) {
    for (uint64_t page = access.address / kPage; page <= last / kPage; ++page) {
      pages_of_range_writes_.insert(page);
    }
  } else {
    for (uint64_t granule = access.address / 8; granule <= last / 8; ++granule) {
      Writes& writes = writes_[granule];
      if (writes.size == 0) {
        writes.address = access.address;
        writes.size = access.size;
      }
      writes.other |= !access.written_known || writes.address != access.address ||
                      writes.size != access.size || writes.values.size() >= kMostValues;
      if (!writes.other) writes.values.insert(access.written);
    }
  }
}

bool ContestedMemory::must_be_initial(const MemoryAccess& access) const {
  const uint64_t last = access.address + access.size - 1;
  if (huge_writes_ || !access.read_known || access.size > 8) return false;
  for (uint64_t granule = access.address / 8; granule <= last / 8; ++granule) {
    if (pages_of_range_writes_.contains(granule * 8 / kPage)) return false;
    auto it = writes_.find(granule);
    if (it == writes_.end()) continue;
    const Writes& writes = it->second;
    if (writes.other || writes.address != access.address || writes.size != access.size ||
        writes.values.contains(access.read)) {
      return false;
    }
  }
  return true;
}

}  // namespace foretell::recording
