// SPDX-License-Identifier: Apache-2.0

#include "judge/read_values.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace foretell::judge {
namespace {

// Of a value that is no address. An allocation is known by its event.
constexpr uint64_t kNoLife = ~uint64_t{0};
// No address of a Linux program is below, and none of a 64-bit one above.
constexpr uint64_t kLeastAddress = uint64_t{1} << 16, kMostAddress = uint64_t{1} << 47;

// The allocations whose memory is in use, or was last, as the trace is walked.
class Lives {
 public:
  void begin(Position alloc, uint64_t base, uint64_t size) {
    auto it = ranges_.lower_bound(base);
    if (it != ranges_.begin() && std::prev(it)->second.end > base) --it;
    while (it != ranges_.end() && it->first < base + size) it = ranges_.erase(it);
    ranges_[base] = {base + size, alloc};
  }
  // The allocation and the offset in it.
  std::optional<std::pair<Position, uint64_t>> of(uint64_t address) const {
    auto it = ranges_.upper_bound(address);
    if (it == ranges_.begin() || (--it)->second.end <= address) return std::nullopt;
    return std::pair(it->second.alloc, address - it->first);
  }

 private:
  struct Range {
    uint64_t end;
    Position alloc;
  };
  std::map<uint64_t, Range> ranges_;  // by begin; they do not overlap
};

bool is_one_piece(const trace::Trace& trace, Position p) {
  const EventIndex index = trace.events[p].index;
  return (p == 0 || trace.events[p - 1].index != index) &&
         (p + 1 == trace.events.size() || trace.events[p + 1].index != index);
}

}  // namespace

// Numbers the classes while the trace is walked.
class ReadValues::Classes {
 public:
  Classes(const trace::Trace& trace, std::span<const Position> writers, size_t locations,
          ReadValues& values)
      : trace_(trace), writers_(writers), locations_(locations), values_(values) {
    values.wanted_.assign(trace.events.size(), kOwnWriter);
    values.stored_.assign(trace.events.size(), kNoClass);
    values.initial_.assign(locations, kNoClass);
    for (const trace::Location& zeros : trace.tables.facts.zeroed) {
      zeroed_.insert(zeros.space);
    }
  }

  void walk() {
    for (Position p = 0; p < trace_.events.size(); ++p) {
      const trace::Event& e = trace_.events[p];
      if (e.kind == trace::EventKind::Alloc) {
        const trace::Location& range = trace_.tables.locations[e.location()];
        if (range.space == StringId{}) lives_.begin(p, range.offset, std::max(range.size, e.value));
      }
      if (is_read(e.kind)) values_.wanted_[p] = of_read(p, e);
      if (is_write(e.kind)) add_write(p, e);
    }
  }

  // Reads that their own writer alone can serve are not flexible.
  void finish() {
    find_zeros();
    bool any = false;
    for (Position p = 0; p < trace_.events.size(); ++p) {
      uint32_t& wanted = values_.wanted_[p];
      if (wanted == kOwnWriter) continue;
      const LocationId location = trace_.events[p].location();
      const bool initial = values_.initial_[to_index(location)] == wanted;
      // What its own writer stored need not be known.
      const Position own = writers_[p];
      const bool by_initial = initial && own != kNoPosition;
      const bool by_write = std::ranges::any_of(values_.writes_[wanted - 1],
                                                [&](Position write) { return write != own; });
      if (!(by_initial || by_write) || unsure_.contains(location)) wanted = kOwnWriter;
      any |= wanted != kOwnWriter;
    }
    if (!any) values_ = {};
  }

 private:
  using Key = std::tuple<LocationId, uint64_t, uint64_t>;  // value or offset, life

  uint32_t of_read(Position p, const trace::Event& e) {
    const bool rmw = e.kind == trace::EventKind::AtomicRmw;
    const bool known = rmw ? e.has_read_value() : e.has_value();
    if (e.is_ambiguous() || !known) {
      // Somebody who records nothing may have written it.
      if (has_unrecorded_writes()) unsure_.insert(e.location());
      return kOwnWriter;
    }
    const uint64_t value = rmw ? e.read_value() : e.value;
    if (!is_one_piece(trace_, p)) return kOwnWriter;
    if (writers_[p] == kNoPosition) see_initial(e.location(), value);
    return class_of(e.location(), value);
  }

  void add_write(Position p, const trace::Event& e) {
    if (!e.has_value() || !is_one_piece(trace_, p)) return;
    const uint32_t number = class_of(e.location(), e.value);
    values_.stored_[p] = number;
    if (number != kNoClass) values_.writes_[number - 1].push_back(p);
  }

  void see_initial(LocationId location, uint64_t value) {
    if (has_unrecorded_writes()) {
      if (masked(location, value) != 0) not_zero_.insert(location);
    } else if (!may_be_address(location, value)) {
      values_.initial_[to_index(location)] = class_of(location, value);
    }
  }

  // What the program's image says of the memory of a recording.
  void find_zeros() {
    if (!has_unrecorded_writes() || zeroed_.empty()) return;
    for (uint32_t i = 0; i < locations_ && i < trace_.cells.size(); ++i) {
      const trace::Cell& cell = trace_.cells[LocationId{i}];
      if (!zeroed_.contains(cell.range.space) || not_zero_.contains(LocationId{i})) continue;
      const auto found = numbers_.find(Key{LocationId{i}, 0, kNoLife});
      if (found != numbers_.end()) values_.initial_[i] = found->second;
    }
  }

  uint32_t class_of(LocationId location, uint64_t value) {
    value = masked(location, value);
    uint64_t life = kNoLife;
    if (may_be_address(location, value)) {
      const auto where = lives_.of(value);
      if (!where) return kNoClass;
      life = where->first;
      value = where->second;
    }
    const auto [it, fresh] =
        numbers_.try_emplace(Key{location, value, life}, values_.writes_.size() + 1);
    if (fresh) values_.writes_.emplace_back();
    return it->second;
  }

  bool may_be_address(LocationId location, uint64_t value) const {
    return size_of(location) == 8 && value >= kLeastAddress && value < kMostAddress;
  }
  uint64_t size_of(LocationId location) const {
    if (to_index(location) >= trace_.cells.size()) return 0;
    return trace_.cells[location].range.size;
  }
  // -1 is 255 in one byte.
  uint64_t masked(LocationId location, uint64_t value) const {
    const uint64_t size = size_of(location);
    return size == 0 || size >= 8 ? value : value & ((uint64_t{1} << (size * 8)) - 1);
  }
  bool has_unrecorded_writes() const { return trace_.tables.facts.has_unrecorded_writes; }

  const trace::Trace& trace_;
  const std::span<const Position> writers_;
  const size_t locations_;
  ReadValues& values_;
  Lives lives_;
  absl::flat_hash_map<Key, uint32_t> numbers_;
  absl::flat_hash_set<StringId> zeroed_;      // spaces
  absl::flat_hash_set<LocationId> not_zero_;  // although the program's image has zeros there
  absl::flat_hash_set<LocationId> unsure_;    // what their reads return is not all recorded
};

ReadValues::ReadValues(const trace::Trace& trace, std::span<const Position> writers,
                       size_t locations, const ReadRules& rules) {
  if (rules.demand == trace::ReadDemand::free) free_reads(trace, rules);
  if (rules.demand != trace::ReadDemand::same_value) return;
  Classes classes(trace, writers, locations, *this);
  classes.walk();
  classes.finish();
}

void ReadValues::free_reads(const trace::Trace& trace, const ReadRules& rules) {
  wanted_.assign(trace.events.size(), kOwnWriter);
  for (Position p = 0; p < trace.events.size(); ++p) {
    const bool is_plain = trace.events[p].kind == trace::EventKind::Read;
    if (is_plain && (!rules.is_free || rules.is_free(p))) wanted_[p] = kAnything;
  }
}

}  // namespace foretell::judge
