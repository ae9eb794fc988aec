// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/product/state.h"

#include <llvm/Support/xxhash.h>

#include <algorithm>

namespace foretell::static_analysis {
namespace {

constexpr auto slot_before = [](const auto& entry, uint32_t slot) { return entry.first < slot; };
constexpr auto spot_before = [](const Cell& cell, const Spot& spot) { return cell.spot < spot; };

void append(std::vector<uint64_t>& words, const Value& value) {
  words.push_back(uint64_t{static_cast<uint8_t>(value.kind)} << 32 | value.id);
  words.push_back(value.bits);
}

std::vector<uint64_t> words_of(const ThreadState& thread, bool with_number) {
  std::vector<uint64_t> words = {
      uint64_t{thread.kind} << 32 | thread.instance,
      uint64_t{thread.is_crowd} << 8 | static_cast<uint8_t>(thread.phase), thread.frames.size(),
      thread.held.size()};
  for (const Frame& frame : thread.frames) {
    words.push_back(reinterpret_cast<uintptr_t>(frame.code));
    words.push_back(uint64_t{frame.at} << 32 | frame.registers.size());
    words.push_back(reinterpret_cast<uintptr_t>(frame.call));
    for (const auto& [slot, value] : frame.registers) {
      words.push_back(slot);
      append(words, value);
    }
    words.push_back(frame.slots.size());
    words.insert(words.end(), frame.slots.begin(), frame.slots.end());
  }
  for (const Holding& one : thread.held) {
    words.push_back(uint64_t{one.lock.object} << 32 | one.lock.offset);
    words.push_back(uint64_t{one.shared} << 8 | one.times);
  }
  if (with_number) words.push_back(thread.many);
  return words;
}

}  // namespace

Value Frame::read(uint32_t slot) const {
  const auto found = std::lower_bound(registers.begin(), registers.end(), slot, slot_before);
  return found != registers.end() && found->first == slot ? found->second : Value{};
}

void Frame::write(uint32_t slot, const Value& value) {
  const auto found = std::lower_bound(registers.begin(), registers.end(), slot, slot_before);
  const bool known = found != registers.end() && found->first == slot;
  if (value.is_any()) {
    if (known) registers.erase(found);
  } else if (known) {
    found->second = value;
  } else {
    registers.insert(found, {slot, value});
  }
}

bool ThreadState::holds(const Spot& lock) const {
  return std::ranges::any_of(held, [&](const Holding& one) { return one.lock == lock; });
}

const Cell* State::find(const Spot& spot) const {
  const auto found = std::lower_bound(cells.begin(), cells.end(), spot, spot_before);
  return found != cells.end() && found->spot == spot ? &*found : nullptr;
}

void State::clear(const Spot& spot, uint32_t size) {
  std::erase_if(cells, [&](const Cell& cell) {
    return cell.spot.object == spot.object && cell.spot.offset < spot.offset + size &&
           spot.offset < cell.spot.offset + cell.size;
  });
}

void State::put(const Spot& spot, uint32_t size, const Value& value) {
  clear(spot, size);
  const auto place = std::lower_bound(cells.begin(), cells.end(), spot, spot_before);
  cells.insert(place, {spot, size, value});
}

void State::blur(ObjectIndex object) {
  std::erase_if(cells, [&](const Cell& cell) {
    return cell.spot.object == object && (cell.spot.offset & kCounter) == 0;
  });
  if (!is_blurred(object))
    blurred.insert(std::lower_bound(blurred.begin(), blurred.end(), object), object);
}

bool State::is_blurred(ObjectIndex object) const {
  return std::binary_search(blurred.begin(), blurred.end(), object);
}

void State::end_object(ObjectIndex object) {
  std::erase_if(cells, [&](const Cell& cell) { return cell.spot.object == object; });
  std::erase(blurred, object);
  std::erase(allocated, object);
}

void State::settle() {
  std::erase_if(threads, [](const ThreadState& thread) {
    return thread.held.empty() &&
           (thread.phase == Phase::gone || (thread.is_crowd && thread.phase == Phase::finished));
  });
  std::vector<std::pair<std::vector<uint64_t>, ThreadState*>> order;
  for (ThreadState& thread : threads) order.emplace_back(words_of(thread, false), &thread);
  std::ranges::sort(order);
  std::vector<ThreadState> settled;
  for (size_t i = 0; i < order.size(); i++) {
    if (i > 0 && order[i].second->is_crowd && order[i].first == order[i - 1].first)
      settled.back().many = true;
    else
      settled.push_back(std::move(*order[i].second));
  }
  threads = std::move(settled);
}

std::array<uint64_t, 2> State::fingerprint() const {
  std::vector<uint64_t> words = {threads.size(), cells.size(), blurred.size(), allocated.size()};
  for (const ThreadState& thread : threads) {
    const std::vector<uint64_t> more = words_of(thread, true);
    words.insert(words.end(), more.begin(), more.end());
  }
  for (const Cell& cell : cells) {
    words.push_back(uint64_t{cell.spot.object} << 32 | cell.spot.offset);
    words.push_back(cell.size);
    append(words, cell.value);
  }
  words.insert(words.end(), blurred.begin(), blurred.end());
  words.insert(words.end(), allocated.begin(), allocated.end());
  const auto hash = llvm::xxh3_128bits(
      {reinterpret_cast<const uint8_t*>(words.data()), words.size() * sizeof(uint64_t)});
  return {hash.low64, hash.high64};
}

}  // namespace foretell::static_analysis
