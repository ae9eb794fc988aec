// SPDX-License-Identifier: Apache-2.0

#include "judge/excerpt.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "judge/lock_index.h"

namespace foretell::judge {
namespace {

// The event that began a section, as an acquire: the wait that a wake ends is not in the excerpt.
trace::Event as_acquire(trace::Event e) {
  if (e.kind != trace::EventKind::WaitEnd) return e;
  const LockId lock = e.lock();
  e.kind = trace::EventKind::Acquire;
  e.object = static_cast<uint32_t>(to_index(lock));
  e.value = e.extra = 0;
  return e;
}

bool is_notify(trace::EventKind kind) {
  return kind == trace::EventKind::NotifyOne || kind == trace::EventKind::NotifyAll;
}

}  // namespace

WaitFates::WaitFates(std::span<const Stretch> stretches) {
  for (const Stretch& stretch : stretches) {
    bounds_.push_back(stretch.from);
    bounds_.push_back(EventIndex{to_index(stretch.last) + 1});
  }
  std::ranges::sort(bounds_);
}

void WaitFates::on_events(std::span<const trace::Event> batch) {
  for (const trace::Event& e : batch) {
    if (e.kind == trace::EventKind::WaitBegin) waiting_[e.thread] = e.index;
    if (e.kind != trace::EventKind::WaitEnd) continue;
    const EventIndex wait = waiting_.at(e.thread);
    const auto bound = std::ranges::upper_bound(bounds_, wait);
    if (bound == bounds_.end() || *bound > e.index) continue;
    wakes_.emplace(wait, e);
    if (e.partner() != kNoEvent) notifies_.insert(e.partner());
  }
}

const trace::Event* WaitFates::wake_of(EventIndex wait) const {
  const auto it = wakes_.find(wait);
  return it == wakes_.end() ? nullptr : &it->second;
}

trace::Event OpenState::close_section(const trace::Event& e) {
  std::vector<trace::Event>& sections = sections_.at(e.lock());
  const bool exclusive = e.kind != trace::EventKind::ReleaseShared;
  const auto mine = std::ranges::find_if(sections, [&](const trace::Event& begin) {
    return begin.thread == e.thread && begins_exclusive(begin.kind) == exclusive;
  });
  CHECK(mine != sections.end());
  const trace::Event section = *mine;
  sections.erase(mine);
  if (sections.empty()) sections_.erase(e.lock());
  return section;
}

void OpenState::on_event(const trace::Event& e, const WaitFates& fates) {
  if (begins_section(e.kind)) sections_[e.lock()].push_back(as_acquire(e));
  if (e.kind == trace::EventKind::WaitEnd) waiting_.erase(e.thread);
  if (ends_section(e.kind)) {
    const trace::Event section = close_section(e);
    if (e.kind == trace::EventKind::WaitBegin)
      waiting_.insert_or_assign(e.thread, Waiting{section, e});
  }
  if (is_notify(e.kind) && fates.is_awaited(e.index)) notifies_.emplace(e.index, e);
  if (e.is_ambiguous() && first_ambiguous_ == kNoEvent) first_ambiguous_ = e.index;
}

std::vector<trace::Event> OpenState::opened(const WaitFates& fates) const {
  std::vector<trace::Event> events;
  for (const auto& [lock, sections] : sections_) {
    events.insert(events.end(), sections.begin(), sections.end());
  }
  absl::flat_hash_set<EventIndex> added;
  for (const auto& [thread, waiting] : waiting_) {
    events.push_back(waiting.section);
    events.push_back(waiting.wait);
    const trace::Event* wake = fates.wake_of(waiting.wait.index);
    if (wake == nullptr) continue;
    const auto notify = notifies_.find(wake->partner());
    if (notify != notifies_.end() && added.insert(notify->first).second) {
      events.push_back(notify->second);
    }
  }
  std::ranges::sort(events, {}, &trace::Event::index);
  return events;
}

std::vector<trace::Event> OpenState::wakes(const WaitFates& fates, EventIndex end) const {
  std::vector<trace::Event> events;
  for (const auto& [thread, waiting] : waiting_) {
    const trace::Event* wake = fates.wake_of(waiting.wait.index);
    if (wake == nullptr) continue;
    events.push_back(*wake);
    // Of a notify that comes later it only matters that it does.
    if (wake->partner() != kNoEvent && wake->partner() >= end) {
      events.back().value = to_index(kNoEvent);
    }
  }
  std::ranges::sort(events, {}, &trace::Event::index);
  return events;
}

ExcerptCutter::ExcerptCutter(std::vector<Stretch> stretches, const WaitFates& fates,
                             AllocationOf allocation_of, Take take)
    : stretches_(std::move(stretches)),
      fates_(fates),
      allocation_of_(std::move(allocation_of)),
      take_(std::move(take)) {
  CHECK(std::ranges::is_sorted(stretches_, {}, &Stretch::from));
}

void ExcerptCutter::on_events(std::span<const trace::Event> batch) {
  for (const trace::Event& e : batch) on_event(e);
  if (open_.empty()) folded_.clear();
}

void ExcerptCutter::on_event(const trace::Event& e) {
  const size_t before = open_.size();
  std::erase_if(open_, [&](const Open& open) {
    if (stretches_[open.stretch].last >= e.index) return false;
    close(open);
    return true;
  });
  if (open_.size() < before) forget_old_events();
  for (; next_ < stretches_.size() && stretches_[next_].from <= e.index; ++next_) {
    const EventIndex ambiguous = state_.first_ambiguous();
    open_.push_back({next_, state_.opened(fates_), ambiguous, forgotten_ + kept_.size()});
  }
  if (!open_.empty()) kept_.push_back(e);
  state_.on_event(e, fates_);
}

void ExcerptCutter::finish() {
  for (const Open& open : open_) close(open);
  open_.clear();
  forget_old_events();
}

void ExcerptCutter::close(const Open& open) {
  if (open.ambiguous != kNoEvent) {
    take_(open.stretch, nullptr, open.ambiguous);
    return;
  }
  const Excerpt excerpt = cut(open);
  take_(open.stretch, &excerpt, kNoEvent);
}

void ExcerptCutter::forget_old_events() {
  uint64_t needed = forgotten_ + kept_.size();
  for (const Open& open : open_) needed = std::min(needed, open.first);
  kept_.erase(kept_.begin(), kept_.begin() + static_cast<ptrdiff_t>(needed - forgotten_));
  forgotten_ = needed;
  if (kept_.empty()) kept_.shrink_to_fit();
}

Excerpt ExcerptCutter::cut(const Open& open) const {
  const Stretch& stretch = stretches_[open.stretch];
  const EventIndex end{to_index(stretch.last) + 1};
  Excerpt excerpt;
  std::vector<trace::Event>& events = excerpt.trace.events;
  const auto begin = kept_.begin() + static_cast<ptrdiff_t>(open.first - forgotten_);
  const std::vector<trace::Event> wakes = state_.wakes(fates_, end);
  events.reserve(open.opened.size() + static_cast<size_t>(kept_.end() - begin) + wakes.size());
  events = open.opened;
  excerpt.begin = static_cast<Position>(events.size());
  events.insert(events.end(), begin, kept_.end());
  excerpt.end = static_cast<Position>(events.size());

  std::vector<EventIndex> allocations;  // by location
  for (trace::Event& e : std::span(events).subspan(excerpt.begin)) {
    // The post has happened, as if it were part of the initial count.
    const bool is_down = e.kind == trace::EventKind::SemaphoreWait;
    if (is_down && e.partner() < stretch.from) e.value = to_index(kNoEvent);
    if (!is_access(e.kind)) continue;
    const EventIndex allocation = allocation_of_(e.location());
    if (allocation == kNoEvent || allocation < stretch.from) continue;
    const size_t location = to_index(e.location());
    if (location >= allocations.size()) allocations.resize(location + 1, kNoEvent);
    allocations[location] = allocation;
  }
  for (EventIndex allocation : allocations) excerpt.trace.cells.add({.alloc = allocation});
  events.insert(events.end(), wakes.begin(), wakes.end());

  std::ranges::copy_if(
      folded_, std::back_inserter(excerpt.trace.folded),
      [&](EventIndex index) { return index >= stretch.from && index < end; }, &trace::Event::index);
  return excerpt;
}

}  // namespace foretell::judge
