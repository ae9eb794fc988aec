// SPDX-License-Identifier: Apache-2.0

#include "analysis/property/run_model.h"

#include <algorithm>
#include <map>

#include "base/check.h"
#include "clocks/contended_cells.h"
#include "trace/event_match.h"

namespace foretell::analysis {

using judge::kNoPosition;
using judge::Position;
using trace::EventKind;

namespace {

constexpr uint32_t kNotKept = ~0u;

bool is_lock_event(EventKind kind) {
  switch (operands_of(kind)) {
    case trace::Operands::Lock:
    case trace::Operands::Wait:
    case trace::Operands::Wake:
      return kind != EventKind::Request && kind != EventKind::RequestShared;
    default:
      return false;
  }
}

bool is_condition_event(EventKind kind) {
  return kind == EventKind::WaitBegin || kind == EventKind::WaitEnd ||
         kind == EventKind::NotifyOne || kind == EventKind::NotifyAll;
}

bool is_failed_try(EventKind kind) {
  return kind == EventKind::TryFail || kind == EventKind::TryFailShared;
}

// Steps that no order depends on.
bool is_remark(EventKind kind) {
  switch (kind) {
    case EventKind::Request:
    case EventKind::RequestShared:
    case EventKind::Fence:
    case EventKind::Branch:
    case EventKind::BlockBegin:
    case EventKind::BlockEnd:
    case EventKind::FunctionEnter:
    case EventKind::FunctionExit:
    case EventKind::ThreadBegin:
    case EventKind::ThreadEnd:
    case EventKind::User:
      return true;
    default:
      return false;
  }
}

// Those that more than one thread uses, or that have atomic accesses, which are always kept.
std::vector<bool> shared_locations(const judge::TraceFacts& facts) {
  constexpr uint32_t kNobody = ~0u;
  std::vector<uint32_t> user(facts.location_count(), kNobody);
  std::vector<bool> shared(facts.location_count());
  // Who allocates it is the first.
  for (size_t i = 0; i < user.size(); ++i) {
    const Position alloc = facts.alloc_of[i];
    if (alloc != kNoPosition) user[i] = static_cast<uint32_t>(facts.event(alloc).thread);
  }
  for (const trace::Event& e : facts.trace.events) {
    if (!is_access(e.kind)) continue;
    uint32_t& first = user[to_index(e.location())];
    const auto thread = static_cast<uint32_t>(e.thread);
    const bool another = first != kNobody && first != thread;
    if (another || is_atomic_access(e.kind)) shared[to_index(e.location())] = true;
    first = thread;
  }
  return shared;
}

}  // namespace

std::vector<bool> contended_locations(const judge::TraceFacts& facts) {
  if (facts.values.is_any_flexible()) return shared_locations(facts);
  std::vector<EventIndex> allocations(facts.location_count(), kNoEvent);
  for (size_t i = 0; i < allocations.size(); ++i) {
    const Position alloc = facts.alloc_of[i];
    if (alloc != kNoPosition) allocations[i] = facts.event(alloc).index;
  }
  clocks::ContendedCells cells([&](LocationId id) { return allocations[to_index(id)]; });
  cells.on_events(facts.trace.events);
  cells.finish();
  std::vector<bool> contended(facts.location_count());
  for (size_t i = 0; i < contended.size(); ++i) {
    contended[i] = cells.is_contended(LocationId{static_cast<uint32_t>(i)});
  }
  return contended;
}

RunModel::RunModel(const judge::TraceFacts& facts, const std::vector<bool>& contended,
                   const std::vector<bool>& visible, Causality causality)
    : facts_(facts), causality_(causality), visible_(visible) {
  CHECK(facts.thread_count() <= kMostThreads);
  choose(contended, visible);
  index_uses();
  index_sections();
  index_writers();
  if (causality == Causality::happens_before) order_as_recorded();
}

void RunModel::choose(const std::vector<bool>& contended, const std::vector<bool>& visible) {
  std::vector<bool> seen_location(facts_.location_count());
  std::vector<ThreadSet> users(facts_.lock_count);
  std::vector<bool> whole(facts_.lock_count);  // waits give it up, or the property sees it
  for (Position p = 0; p < facts_.size(); ++p) {
    const trace::Event& e = facts_.event(p);
    if (is_access(e.kind) && visible[p]) seen_location[to_index(e.location())] = true;
    if (!is_lock_event(e.kind)) continue;
    users[to_index(e.lock())] |= bit_of(p);
    if (is_condition_event(e.kind) || visible[p]) whole[to_index(e.lock())] = true;
  }
  std::vector<bool> keep(facts_.size());
  for (Position p = 0; p < facts_.size(); ++p) {
    const trace::Event& e = facts_.event(p);
    const bool idle = is_remark(e.kind) ||
                      (is_plain_access(e.kind) && !contended[to_index(e.location())] &&
                       !seen_location[to_index(e.location())]) ||
                      (is_lock_event(e.kind) && !whole[to_index(e.lock())] &&
                       std::has_single_bit(users[to_index(e.lock())]));
    keep[p] = visible[p] || !idle;
  }
  keep_steps(keep);
}

void RunModel::keep_steps(const std::vector<bool>& keep) {
  steps_.resize(facts_.thread_count());
  last_visible_.resize(facts_.thread_count());
  kept_step_.assign(facts_.size(), kNotKept);
  for (Position p = 0; p < facts_.size(); ++p) {
    if (!keep[p]) continue;
    const size_t thread = facts_.thread_index(p);
    kept_step_[p] = static_cast<uint32_t>(steps_[thread].size());
    steps_[thread].push_back(p);
    if (visible_[p]) last_visible_[thread] = static_cast<uint32_t>(steps_[thread].size());
    ++kept_;
  }
}

void RunModel::note_use(std::vector<Uses>& all, size_t object, Position p, bool changes,
                        bool fails) {
  if (object >= all.size()) all.resize(object + 1);
  const auto thread = static_cast<uint32_t>(facts_.thread_index(p));
  auto it = std::ranges::find(all[object], thread, &Use::thread);
  if (it == all[object].end()) it = all[object].insert(it, {thread, 0, 0, 0});
  const uint32_t step = kept_step_[p] + 1;
  it->any = step;
  if (changes) it->changes = step;
  if (fails) it->failures = step;
}

void RunModel::index_uses() {
  location_uses_.resize(facts_.location_count());
  lock_uses_.resize(facts_.lock_count);
  condition_uses_.resize(facts_.condition_count);
  for (const std::vector<Position>& steps : steps_) {
    for (Position p : steps) {
      const trace::Event& e = facts_.event(p);
      if (is_access(e.kind)) {
        const bool changes = is_write(e.kind) || e.kind == EventKind::Free;
        note_use(location_uses_, to_index(e.location()), p, changes, false);
      }
      if (is_lock_event(e.kind)) {
        note_use(lock_uses_, to_index(e.lock()), p, begins_section(e.kind), is_failed_try(e.kind));
      }
      if (is_condition_event(e.kind)) {
        note_use(condition_uses_, to_index(e.condition()), p, true, false);
      }
    }
  }
}

void RunModel::index_sections() {
  sections_.resize(facts_.lock_count);
  for (uint32_t thread = 0; thread < steps_.size(); ++thread) {
    for (Position p : steps_[thread]) {
      const trace::Event& e = facts_.event(p);
      if (!is_lock_event(e.kind) || !begins_section(e.kind)) continue;
      std::vector<SectionsOfThread>& of_lock = sections_[to_index(e.lock())];
      if (of_lock.empty() || of_lock.back().thread != thread) of_lock.push_back({thread, {}});
      const Position end = facts_.match[p];
      of_lock.back().sections.push_back({kept_step_[p],
                                         end == kNoPosition ? kNotKept : kept_step_[end],
                                         e.kind == EventKind::AcquireShared});
    }
  }
}

void RunModel::index_writers() {
  words_ = steps_.size();
  tracked_.assign(facts_.location_count(), -1);
  only_writer_.assign(facts_.location_count(), -1);
  for (size_t i = 0; i < location_uses_.size(); ++i) {
    int32_t writer = -1;
    bool several = false, reads = false;
    for (const Use& use : location_uses_[i]) {
      if (use.changes > 0) {
        several = several || writer >= 0;
        writer = static_cast<int32_t>(use.thread);
      }
      reads = true;
    }
    if (several && reads) {
      tracked_[i] = static_cast<int32_t>(words_++);
    } else {
      only_writer_[i] = writer;
    }
  }
  if (facts_.condition_count > 0) {
    notified_word_ = words_;
    words_ += 2;
  }
  for (const std::vector<Position>& steps : steps_) {
    for (Position p : steps) {
      const trace::Event& e = facts_.event(p);
      if (!is_read(e.kind) || tracked_[to_index(e.location())] < 0) continue;
      const Position writer = facts_.partner[p];
      Uses& readers = !facts_.values.keeps_writer(p) ? flexible_readers_[e.location()]
                      : writer == kNoPosition        ? initial_readers_[e.location()]
                                                     : readers_[writer];
      const auto thread = static_cast<uint32_t>(facts_.thread_index(p));
      auto it = std::ranges::find(readers, thread, &Use::thread);
      if (it == readers.end()) it = readers.insert(it, {thread, 0, 0, 0});
      it->any = kept_step_[p] + 1;
    }
  }
}

// Which write was the last one matters only as long as a read of it is to come.
void RunModel::forget_writers(Words& cut) const {
  constexpr size_t kNobody = ~size_t{0};
  for (size_t i = 0; i < tracked_.size(); ++i) {
    if (tracked_[i] < 0) continue;
    uint32_t& word = cut[static_cast<size_t>(tracked_[i])];
    if (word == kForgotten) continue;
    const LocationId location{static_cast<uint32_t>(i)};
    const auto flexible = flexible_readers_.find(location);
    if (flexible != flexible_readers_.end() &&
        still(cut, flexible->second, &Use::any, kNobody) != 0) {
      continue;
    }
    const Uses* readers = nullptr;
    if (word == 0) {
      const auto it = initial_readers_.find(location);
      if (it != initial_readers_.end()) readers = &it->second;
    } else if (const auto it = readers_.find(word - 1); it != readers_.end()) {
      readers = &it->second;
    }
    if (readers == nullptr || still(cut, *readers, &Use::any, kNobody) == 0) word = kForgotten;
  }
}

// The recorded order of sections of a lock, of conflicting accesses, and of what happens at a
// condition.
void RunModel::order_as_recorded() {
  recorded_before_.resize(facts_.size());
  std::map<size_t, Position> last_section_end;  // by lock
  std::vector<std::vector<Position>> accesses(facts_.location_count());
  std::vector<std::vector<Position>> at_condition(facts_.condition_count);
  for (Position p = 0; p < facts_.size(); ++p) {
    if (kept_step_[p] == kNotKept) continue;
    const trace::Event& e = facts_.event(p);
    auto& before = recorded_before_[p];
    if (is_lock_event(e.kind)) {
      auto [it, fresh] = last_section_end.try_emplace(to_index(e.lock()), p);
      if (!fresh) before.push_back(std::exchange(it->second, p));
    }
    if (is_condition_event(e.kind)) {
      auto& earlier = at_condition[to_index(e.condition())];
      if (!earlier.empty()) before.push_back(earlier.back());
      earlier.push_back(p);
    }
    if (is_access(e.kind)) {
      auto& earlier = accesses[to_index(e.location())];
      const bool changes = is_write(e.kind) || e.kind == EventKind::Free;
      // Back to the last write, which comes after all before it.
      for (size_t i = earlier.size(); i-- > 0;) {
        const EventKind kind = facts_.event(earlier[i]).kind;
        const bool wrote = is_write(kind) || kind == EventKind::Free;
        if (changes || wrote) before.push_back(earlier[i]);
        if (wrote) break;
      }
      earlier.push_back(p);
    }
  }
}

RunModel::Words RunModel::initial() const {
  return Words(words_, 0);
}

bool RunModel::is_complete(const Words& cut) const {
  for (size_t thread = 0; thread < steps_.size(); ++thread) {
    if (cut[thread] < steps_[thread].size()) return false;
  }
  return true;
}

ThreadSet RunModel::with_visible(const Words& cut) const {
  ThreadSet threads = 0;
  for (size_t thread = 0; thread < steps_.size(); ++thread) {
    if (cut[thread] < last_visible_[thread]) threads |= bit(thread);
  }
  return threads;
}

void RunModel::apply(Words& cut, Position p) const {
  const trace::Event& e = facts_.event(p);
  const size_t thread = facts_.thread_index(p);
  if (is_write(e.kind)) {
    const int32_t word = tracked_[to_index(e.location())];
    if (word >= 0) cut[static_cast<size_t>(word)] = p + 1;
  }
  auto notified = [&](size_t who, bool now) {
    uint32_t& word = cut[notified_word_ + who / 32];
    word = now ? word | 1u << who % 32 : word & ~(1u << who % 32);
  };
  if (e.kind == EventKind::WaitBegin || e.kind == EventKind::WaitEnd) notified(thread, false);
  if (e.kind == EventKind::NotifyOne || e.kind == EventKind::NotifyAll) {
    // Whoever waits now and is served by it.
    for (const Use& use : condition_uses_[to_index(e.condition())]) {
      if (use.thread == thread || cut[use.thread] == 0) continue;
      const Position wait = steps_[use.thread][cut[use.thread] - 1];
      const trace::Event& w = facts_.event(wait);
      if (w.kind != EventKind::WaitBegin || w.condition() != e.condition()) continue;
      const Position wake = facts_.wake_of(wait);
      if (wake != kNoPosition && facts_.partner[wake] == p) notified(use.thread, true);
    }
  }
  ++cut[thread];
}

judge::Interleaving RunModel::completed(std::span<const Position> run, bool to_the_end) const {
  judge::Interleaving whole;
  std::vector<uint32_t> done(steps_.size());  // of all steps, by thread
  auto come_by = [&](size_t thread, uint32_t end) {
    const std::vector<Position>& all = facts_.events_of[thread];
    for (uint32_t& step = done[thread]; step < end; ++step) whole.push_back(all[step]);
  };
  for (Position p : run) {
    const trace::Event& e = facts_.event(p);
    come_by(facts_.thread_index(p), facts_.step[p]);
    if (e.kind == EventKind::Join) {
      const size_t other = to_index(e.other_thread());
      come_by(other, static_cast<uint32_t>(facts_.events_of[other].size()));
    }
    come_by(facts_.thread_index(p), facts_.step[p] + 1);
  }
  for (size_t t = 0; to_the_end && t < steps_.size(); ++t) {
    come_by(t, static_cast<uint32_t>(facts_.events_of[t].size()));
  }
  return whole;
}

}  // namespace foretell::analysis
