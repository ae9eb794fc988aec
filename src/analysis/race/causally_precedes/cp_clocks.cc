// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/causally_precedes/cp_clocks.h"

#include <algorithm>

#include "trace/event_match.h"

namespace foretell::analysis {

void CpClocks::on_event(const trace::Event& e) {
  match(e.kind,
        trace::Cases{
            trace::ignored<trace::kPlainAccesses>,
            trace::on<trace::kSectionBegins>([&] {
              happens_before_.on_event(e);
              acquire(e, e.kind == trace::EventKind::AcquireShared);
            }),
            trace::on<trace::kSectionEnds>([&] {
              release(e);
              happens_before_.on_event(e);
            }),
            trace::on<trace::kAtomics, trace::EventClass::memory, trace::EventKind::Fence,
                      trace::kRequests, trace::kFailedTries, trace::kForksAndJoins,
                      trace::kNotifies, trace::kBarriers, trace::kSemaphores, trace::kRemarks>(
                [&] { happens_before_.on_event(e); }),
        });
}

void CpClocks::finish() {
  for (uint32_t t = 0; t < threads_.size(); ++t) {
    Thread& thread = threads_[ThreadId{t}];
    for (const Open& open : thread.open) rule_b(thread, open);
  }
}

void CpClocks::acquire(const trace::Event& e, bool shared) {
  Thread& thread = threads_[e.thread];
  Lock& lock = locks_[e.lock()];
  const auto section = static_cast<SectionNumber>(lock.sections.size());
  thread.precedes.join(lock.precedes);
  if (shared) {
    if (!lock.readers) lock.readers = std::make_unique<Readers>();
    const SectionNumber after = lock.exclusive.empty() ? 0 : lock.exclusive.back();
    lock.readers->by_thread[e.thread].push_back({section, after});
  } else {
    if (lock.readers) thread.precedes.join(lock.readers->precedes);
    lock.exclusive.push_back(section);
    for (SectionNumber from : edges_.readers(e.lock(), section)) {
      take(e.lock(), from, section, thread.precedes);
    }
  }
  lock.sections.push_back({happens_before_.epoch(e.thread)});
  if (const SectionNumber from = edges_.latest_exclusive(e.lock(), section); from != 0) {
    take(e.lock(), from, section, thread.precedes);
  }
  thread.open.push_back({e.lock(), section, shared, true, e.index, thread.precedes});
  Open& open = thread.open.back();
  rule_b(thread, open);
  open.begins = false;
  open.at_acquire = thread.precedes;
  if (!shared) count_orders(e.thread, lock, open.at_acquire);
}

// At the acquire of the latest exclusive section. If the release of one of the others is before it,
// so are those of all earlier ones.
void CpClocks::count_orders(ThreadId thread, Lock& lock, const clocks::VectorClock& at_acquire) {
  std::vector<uint32_t>& own = lock.own[thread];
  const auto latest = static_cast<uint32_t>(lock.exclusive.size() - 1);
  orders_.happens_before += latest - own.size();
  const auto before = std::partition_point(lock.exclusive.begin(), lock.exclusive.begin() + latest,
                                           [&](SectionNumber k) {
                                             return released_before(lock.sections[k], at_acquire);
                                           }) -
                      lock.exclusive.begin();
  const auto own_before = std::ranges::lower_bound(own, before) - own.begin();
  orders_.causally_precedes += static_cast<uint64_t>(before - own_before);
  own.push_back(latest);
}

// The edge from the release of `from` to the acquire of `to`, which is happening.
void CpClocks::take(LockId id, SectionNumber from, SectionNumber to,
                    clocks::VectorClock& precedes) {
  Lock& lock = locks_[id];
  const auto it = lock.needed.find(from);
  CHECK(it != lock.needed.end());
  precedes.join(it->second);
  if (edges_.last_use(id, from) == to) lock.needed.erase(it);
}

void CpClocks::release(const trace::Event& e) {
  Thread& thread = threads_[e.thread];
  Lock& lock = locks_[e.lock()];
  const auto open = std::ranges::find(thread.open, e.lock(), &Open::lock);
  CHECK(open != thread.open.end());
  rule_b(thread, *open);

  const clocks::VectorClock& now = happens_before_.clock(e.thread);
  Section& section = lock.sections[open->section];
  section.release = now.head().time();
  if (edges_.last_use(e.lock(), open->section) != 0) lock.needed.emplace(open->section, now);
  // Only of a section whose thread published something within can a later one have seen the
  // beginning and not the end.
  if (section.release != section.acquire.time()) {
    lock.recent.emplace_back(open->section, now);
    if (lock.recent.size() == 2 * kRecent) {
      lock.recent.erase(lock.recent.begin(), lock.recent.begin() + kRecent);
    }
  }
  if (open->shared) {
    lock.readers->precedes.join(thread.precedes);
  } else {
    lock.precedes = thread.precedes;
    if (lock.readers) lock.readers->precedes = clocks::VectorClock();
  }
  thread.open.erase(open);
}

void CpClocks::rule_b(Thread& thread, const Open& open) {
  if (!open.begins && thread.precedes.is_copy_of(open.at_acquire)) return;
  Lock& lock = locks_[open.lock];
  // From the end, in growing steps: the answer is mostly near.
  const auto begin = lock.exclusive.begin();
  const auto end = std::ranges::lower_bound(lock.exclusive, open.section);
  auto is_before = [&](SectionNumber k) {
    return thread.precedes.contains(lock.sections[k].acquire);
  };
  auto high = end;
  for (ptrdiff_t step = 1; high != begin; step *= 2) {
    const auto probe = high - begin > step ? high - step : begin;
    if (is_before(*probe)) {
      high = std::partition_point(probe, high, is_before);
      break;
    }
    high = probe;
  }
  const SectionNumber latest = high == begin ? 0 : *(high - 1);
  if (!open.shared && lock.readers) rule_b_readers(thread, open, latest);
  if (latest == 0 || released_before(lock.sections[latest], open.at_acquire)) return;
  if (edges_.add_exclusive(open.lock, latest, open.section)) {
    add_new(lock, latest, open, thread.precedes);
  }
}

void CpClocks::rule_b_readers(Thread& thread, const Open& open, SectionNumber latest) {
  Lock& lock = locks_[open.lock];
  auto& by_thread = lock.readers->by_thread;
  for (uint32_t t = 0; t < by_thread.size(); ++t) {
    const std::vector<Reader>& readers = by_thread[ThreadId{t}];
    const auto after = std::ranges::partition_point(readers, [&](const Reader& reader) {
      return reader.section < open.section &&
             thread.precedes.contains(lock.sections[reader.section].acquire);
    });
    if (after == readers.begin()) continue;
    const Reader& reader = *(after - 1);
    // Readers before the latest exclusive section are before its release as well.
    if (reader.after < latest) continue;
    if (released_before(lock.sections[reader.section], open.at_acquire)) continue;
    if (edges_.add_reader(open.lock, reader.section, open.section)) {
      add_new(lock, reader.section, open, thread.precedes);
    }
  }
}

void CpClocks::add_new(Lock& lock, SectionNumber from, const Open& open,
                       clocks::VectorClock& precedes) {
  bool in_time = open.begins;
  if (!released_before(lock.sections[from], precedes)) {
    const clocks::VectorClock* released = clock_of_release(lock, from);
    if (released) precedes.join(*released);
    in_time &= released != nullptr;
  }
  if (in_time) return;
  ++late_edges_;
  earliest_late_ = std::min(earliest_late_, open.index);
}

const clocks::VectorClock* CpClocks::clock_of_release(const Lock& lock,
                                                      SectionNumber section) const {
  if (const auto it = lock.needed.find(section); it != lock.needed.end()) return &it->second;
  const auto it =
      std::ranges::find(lock.recent, section, [](const auto& recent) { return recent.first; });
  return it == lock.recent.end() ? nullptr : &it->second;
}

}  // namespace foretell::analysis
