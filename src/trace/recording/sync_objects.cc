// SPDX-License-Identifier: Apache-2.0

#include "trace/recording/sync_objects.h"

#include <fmt/format.h>

#include <charconv>

#include "base/split.h"

namespace foretell::recording {
namespace {

constexpr std::string_view kKindNames[] = {"lock", "condition", "barrier", "semaphore"};

// Members of the library's own types, which nobody wrote.
bool is_reserved(std::string_view name) {
  return name.starts_with('_');
}

// ".lock" of the field at `offset`, "+8" if it has no name, "" at the start of the variable.
std::string member_name(std::string_view fields, uint64_t offset) {
  for (std::string_view field : split(fields, ';')) {
    const size_t equals = field.find('=');
    if (equals == std::string_view::npos) continue;
    uint64_t at = 0;
    const auto parsed = std::from_chars(field.data(), field.data() + equals, at);
    if (parsed.ec != std::errc{} || at != offset) continue;
    const std::string_view name = field.substr(equals + 1);
    if (!name.empty() && !is_reserved(name)) return fmt::format(".{}", name);
  }
  return offset == 0 ? "" : fmt::format("+{}", offset);
}

}  // namespace

std::string SyncObjects::name_of(SyncKind kind, uint64_t address, ThreadId thread,
                                 std::string_view expression) {
  if (auto it = names_.find(address); it != names_.end() && kind == SyncKind::lock) {
    return it->second;
  }
  if (const Global* global = modules_.global_at(address)) {
    return std::string(tables_.strings[locations_.space_of(*global)]) +
           member_name(global->fields, address - global->address);
  }
  if (!expression.empty()) return std::string(expression);
  return fmt::format("{}@{}:{}", kKindNames[static_cast<size_t>(kind)], tables_.threads[thread],
                     nameless_[thread]++);
}

uint32_t SyncObjects::intern(SyncKind kind, std::string name) {
  auto add = [&]<class Id>(Interner<Id>& table) {
    constexpr Id kAbsent{UINT32_MAX};
    if (table.find(name, kAbsent) == kAbsent) return static_cast<uint32_t>(table.intern(name));
    uint32_t& number =
        next_number_.try_emplace(fmt::format("{}{}", static_cast<int>(kind), name), 2)
            .first->second;
    for (;; ++number) {
      const std::string numbered = fmt::format("{}#{}", name, number);
      if (table.find(numbered, kAbsent) == kAbsent) {
        return static_cast<uint32_t>(table.intern(numbered));
      }
    }
  };
  switch (kind) {
    case SyncKind::lock:
      return add(tables_.locks);
    case SyncKind::condition:
      return add(tables_.conditions);
    case SyncKind::barrier:
      return add(tables_.barriers);
    case SyncKind::semaphore:
      return add(tables_.semaphores);
  }
  return 0;
}

uint32_t SyncObjects::create(SyncKind kind, uint64_t address, ThreadId thread,
                             std::string_view expression) {
  if (used_ == objects_.size()) {
    objects_.push_back(
        {.id = intern(kind, name_of(kind, address, thread, expression)), .kind = kind});
  }
  objects_[used_].reset();
  const uint64_t key = key_of(kind, address);
  live_[key] = static_cast<uint32_t>(used_);
  keys_.insert(key);
  return static_cast<uint32_t>(used_++);
}

std::string SyncObjects::name(uint32_t place) const {
  const SyncObject& object = objects_[place];
  switch (object.kind) {
    case SyncKind::lock:
      return std::string(tables_.locks[LockId{object.id}]);
    case SyncKind::condition:
      return std::string(tables_.conditions[ConditionId{object.id}]);
    case SyncKind::barrier:
      return std::string(tables_.barriers[BarrierId{object.id}]);
    case SyncKind::semaphore:
      return std::string(tables_.semaphores[SemaphoreId{object.id}]);
  }
  return "";
}

LocationId SyncObjects::stand_in(SyncObject& lock) {
  if (!lock.stand_in) {
    const std::string name = fmt::format("lock {}", tables_.locks[LockId{lock.id}]);
    lock.stand_in = tables_.intern_variable(locations_.unused_space(name));
  }
  return *lock.stand_in;
}

void SyncObjects::end_lives(uint64_t address, uint64_t size) {
  auto it = keys_.lower_bound(address << 2);
  while (it != keys_.end() && *it < (address + size) << 2) {
    live_.erase(*it);
    it = keys_.erase(it);
  }
  names_.erase(names_.lower_bound(address), names_.lower_bound(address + size));
}

void SyncObjects::rewind() {
  live_.clear();
  keys_.clear();
  names_.clear();
  used_ = 0;
}

}  // namespace foretell::recording
