// SPDX-License-Identifier: Apache-2.0

#include "tiddle/cxx_memory.h"

#include <algorithm>

#include "base/check.h"

namespace foretell::tiddle {
namespace {

constexpr uint64_t kUnknownSize = ~uint64_t{0};
constexpr uint64_t kNear = 4096;                    // ranges closer than this share an array
constexpr uint64_t kLargest = uint64_t{256} << 20;  // bytes of one object

bool touches_memory(trace::EventKind kind) {
  return is_access(kind) || kind == trace::EventKind::Alloc;
}

bool fits_int(uint64_t value) {
  const auto v = static_cast<int64_t>(value);
  return v >= INT32_MIN && v <= INT32_MAX;
}

// The widest integer that fits into `size` bytes.
uint64_t integer_in(uint64_t size) {
  for (uint64_t width : {8, 4, 2}) {
    if (size >= width) return width;
  }
  return 1;
}

}  // namespace

Result<CxxMemory> CxxMemory::lay_out(Plan& plan) {
  CxxMemory memory(plan);
  absl::flat_hash_map<StringId, std::vector<LocationId>> spaces;
  std::vector<StringId> order;
  for (size_t step = 0; step < plan.events.size(); ++step) {
    const trace::Event& e = plan.events[step];
    if (!touches_memory(e.kind)) continue;
    if (e.kind == trace::EventKind::Alloc || e.kind == trace::EventKind::Free) {
      const bool sized = e.kind == trace::EventKind::Alloc && e.has_value();
      auto [it, fresh] = memory.allocated_.try_emplace(e.location(), kUnknownSize);
      if (sized) it->second = std::min(it->second, e.value);
    }
    if (!memory.first_use_.try_emplace(e.location(), step).second) continue;
    auto& members = spaces[plan.tables->locations[e.location()].space];
    if (members.empty()) order.push_back(plan.tables->locations[e.location()].space);
    members.push_back(e.location());
  }
  for (StringId space : order) {
    if (auto done = memory.lay_out_space(space, spaces[space]); !done) {
      return std::unexpected(std::move(done).error());
    }
  }
  if (auto done = memory.check_lives(); !done) return std::unexpected(std::move(done).error());
  for (size_t step = 0; step < plan.events.size(); ++step) {
    const trace::Event& e = plan.events[step];
    if (!is_access(e.kind) || e.kind == trace::EventKind::Free) continue;
    MemoryObject& object = memory.objects_[memory.place(e.location()).object];
    (is_atomic_access(e.kind) ? object.atomic : object.plain) = true;
    object.wide |= (e.has_value() && !fits_int(e.value)) || !fits_int(plan.stored[step]) ||
                   (e.has_read_value() && !fits_int(e.extra));
  }
  if (auto done = memory.check_atomics(); !done) return std::unexpected(std::move(done).error());
  return memory;
}

std::string CxxMemory::new_name(StringId space, uint64_t origin) {
  const std::string_view name = plan_->tables->strings[space];
  return plan_->names.add(name.empty() ? fmt::format("memory_{:x}", origin) : std::string(name),
                          "location");
}

Result<void> CxxMemory::lay_out_space(StringId space, const std::vector<LocationId>& members) {
  const bool ranges = std::ranges::any_of(
      members, [&](LocationId id) { return plan_->tables->locations[id].size > 0; });
  const bool allocated =
      std::ranges::any_of(members, [&](LocationId id) { return allocated_.contains(id); });
  if (!ranges && !allocated) {
    CHECK(members.size() == 1);
    places_[members[0]] = {.object = objects_.size()};
    objects_.push_back({.shape = ObjectShape::variable,
                        .name = plan_->tables->location_name(members[0]),
                        .identifier = new_name(space, 0),
                        .space = space});
    return {};
  }
  if (allocated) {
    if (auto done = add_heap_objects(space, members); !done) return done;
  }
  return add_arrays(space, members);
}

Result<void> CxxMemory::add_heap_objects(StringId space, const std::vector<LocationId>& members) {
  uint64_t end = 0;
  for (LocationId id : members) {
    const trace::Location& l = plan_->tables->locations[id];
    end = std::max(end, l.offset + l.size);
  }
  for (LocationId id : members) {
    if (!allocated_.contains(id)) continue;
    const trace::Location& l = plan_->tables->locations[id];
    MemoryObject object{.shape = ObjectShape::heap,
                        .name = plan_->tables->location_name(l),
                        .identifier = "",
                        .space = space,
                        .origin = l.offset,
                        .size = l.size};
    if (l.size == 0) {
      // The name stands for the whole space.
      object.size = allocated_[id] != kUnknownSize ? allocated_[id] : std::max(end, uint64_t{8});
      if (object.size < end || object.size == 0) {
        return fail_at(plan_->where(first_use(id)),
                       "{} bytes are allocated for {}, but its accesses need {}", object.size,
                       object.name, std::max(end, uint64_t{1}));
      }
    }
    for (const MemoryObject& other : objects_) {
      if (other.space != space || other.shape != ObjectShape::heap) continue;
      if (object.origin < other.origin + other.size && other.origin < object.origin + object.size) {
        return fail_at(plan_->where(first_use(id)), "the allocations {} and {} overlap", other.name,
                       object.name);
      }
    }
    if (object.size > kLargest) {
      return fail_at(plan_->where(first_use(id)), "{} is larger than {} bytes", object.name,
                     kLargest);
    }
    object.identifier = new_name(space, object.origin);
    objects_.push_back(std::move(object));
  }
  return {};
}

// Places every member: in the heap object that contains it, or in a new static array.
Result<void> CxxMemory::add_arrays(StringId space, const std::vector<LocationId>& members) {
  std::vector<LocationId> sorted = members;
  std::ranges::sort(sorted, {}, [&](LocationId id) {
    const trace::Location& l = plan_->tables->locations[id];
    return std::tuple(l.size == 0, l.offset, l.size);  // the whole space last
  });
  size_t array = kNever;
  for (LocationId id : sorted) {
    const trace::Location& l = plan_->tables->locations[id];
    if (l.size == 0) {
      std::vector<size_t> candidates;
      for (size_t i = 0; i < objects_.size(); ++i) {
        if (objects_[i].space == space) candidates.push_back(i);
      }
      if (candidates.size() != 1) {
        return fail_at(plan_->where(first_use(id)),
                       "{} stands for memory that is allocated in {} parts",
                       plan_->tables->location_name(l), candidates.size());
      }
      const MemoryObject& object = objects_[candidates[0]];
      const bool lone = sorted.size() == 1;
      places_[id] = {candidates[0], 0, lone ? integer_in(object.size) : object.size};
      if (!lone) {
        // The normalizer lets the whole reach from the lowest range to the highest.
        uint64_t end = 0;
        for (LocationId other : sorted) {
          const trace::Location& range = plan_->tables->locations[other];
          end = std::max(end, range.offset + range.size);
        }
        const uint64_t low = plan_->tables->locations[sorted.front()].offset;
        places_[id].offset = low - object.origin;
        places_[id].size = end - low;
      }
      continue;
    }
    bool placed = false;
    for (size_t i = 0; i < objects_.size() && !placed; ++i) {
      const MemoryObject& object = objects_[i];
      if (object.space != space || object.shape != ObjectShape::heap) continue;
      if (l.offset >= object.origin && l.offset + l.size <= object.origin + object.size) {
        places_[id] = {i, l.offset - object.origin, l.size};
        placed = true;
      } else if (l.offset < object.origin + object.size && object.origin < l.offset + l.size) {
        return fail_at(plan_->where(first_use(id)), "{} lies partly outside the allocation {}",
                       plan_->tables->location_name(l), object.name);
      }
    }
    if (placed) continue;
    const uint64_t end = l.offset + l.size;
    if (array == kNever || l.offset > objects_[array].origin + objects_[array].size + kNear) {
      const bool from_zero = l.offset < kNear && !plan_->tables->strings[space].empty();
      array = objects_.size();
      objects_.push_back({.shape = ObjectShape::array,
                          .name = plan_->tables->location_name(l),
                          .identifier = new_name(space, l.offset),
                          .space = space,
                          .origin = from_zero ? 0 : l.offset & ~uint64_t{15}});
    }
    MemoryObject& object = objects_[array];
    object.size = std::max(object.size, end - object.origin);
    if (object.size > kLargest) {
      return fail_at(plan_->where(first_use(id)), "{} needs an array of more than {} bytes",
                     plan_->tables->location_name(l), kLargest);
    }
    places_[id] = {array, l.offset - object.origin, l.size};
  }
  return {};
}

// Accesses of memory that is not allocated cannot be forced: they would corrupt the heap.
Result<void> CxxMemory::check_lives() {
  enum class Life { unknown, live, freed };
  std::vector<Life> lives(objects_.size(), Life::unknown);
  for (size_t step = 0; step < plan_->events.size(); ++step) {
    const trace::Event& e = plan_->events[step];
    if (!touches_memory(e.kind)) continue;
    MemoryObject& object = objects_[place(e.location()).object];
    if (object.shape != ObjectShape::heap) continue;
    Life& life = lives[place(e.location()).object];
    if (e.kind == trace::EventKind::Alloc) {
      if (life == Life::live) {
        return fail_at(plan_->where(step), "{} is allocated, but it was in use before",
                       object.name);
      }
      life = Life::live;
      continue;
    }
    if (life == Life::unknown) {
      object.exists_at_start = true;
      life = Life::live;
    }
    if (life == Life::freed) {
      return fail_at(plan_->where(step),
                     "thread {} accesses {} after it was freed: no program can do that and go on "
                     "reliably",
                     plan_->thread_name(e), plan_->tables->location_name(e.location()));
    }
    if (e.kind == trace::EventKind::Free) life = Life::freed;
  }
  return {};
}

Result<void> CxxMemory::check_atomics() const {
  for (size_t step = 0; step < plan_->events.size(); ++step) {
    const trace::Event& e = plan_->events[step];
    if (!is_atomic_access(e.kind)) continue;
    const Place& p = place(e.location());
    if (objects_[p.object].shape == ObjectShape::variable) continue;
    const bool machine_word = p.size == 1 || p.size == 2 || p.size == 4 || p.size == 8;
    if (!machine_word || p.offset % p.size != 0) {
      return fail_at(plan_->where(step),
                     "{} cannot be accessed atomically: it has {} bytes at offset {} of its object",
                     plan_->tables->location_name(e.location()), p.size, p.offset);
    }
  }
  return {};
}

}  // namespace foretell::tiddle
