// SPDX-License-Identifier: Apache-2.0

#include "analysis/atomicity/sidetrack/sidetrack.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "trace/event_match.h"

namespace foretell::analysis {

void SideTrack::on_event(const trace::Event& e) {
  const Mode mode =
      e.kind == trace::EventKind::AcquireShared || e.kind == trace::EventKind::ReleaseShared
          ? kShared
          : kExclusive;
  match(e.kind, trace::Cases{
                    trace::on<trace::kBlocks>([&] { enter(e); }),
                    trace::on<trace::kSectionBegins>([&] { acquire(e, mode); }),
                    trace::on<trace::kSectionEnds>([&] { release(e, mode); }),
                    // Free: a new life of an atomic location.
                    trace::on<trace::kForksAndJoins, trace::kAtomics, trace::EventKind::Free,
                              trace::EventKind::Fence, trace::kNotifies, trace::kBarriers,
                              trace::kSemaphores>([&] { clocks_.on_event(e); }),
                    // [ST READ], [ST WRITE], and what orders nothing.
                    trace::ignored<trace::kPlainAccesses, trace::kRequests, trace::kFailedTries,
                                   trace::EventKind::Alloc, trace::EventClass::thread_life,
                                   trace::EventClass::remark, trace::EventClass::destruction>,
                });
}

// [ST ENTER] and [ST EXIT] of outermost blocks.
void SideTrack::enter(const trace::Event& e) {
  switch (blocks_.on_event(e)) {
    case BlockStacks::Change::began:
      threads_[e.thread].H.clear();
      threads_[e.thread].I.clear();
      ++enters_;
      break;
    case BlockStacks::Change::ended:
      ++exits_;
      break;
    case BlockStacks::Change::none:
    case BlockStacks::Change::began_inner:
    case BlockStacks::Change::ended_inner:
      break;
  }
}

// What the three rules for acquires have in common.
void SideTrack::acquire(const trace::Event& e, Mode mode) {
  Lock& lock = locks_[e.lock()];
  hard_ = clocks::VectorClock();
  clocks::VectorClock before = clocks_.clock(e.thread);
  clocks_.on_event(e);
  // A wake is served whatever the order of the locks.
  before.join(hard_);

  if (blocks_.in_block(e.thread)) {
    Transaction& transaction = threads_[e.thread];
    const auto latest = transaction.H.find(e.lock());
    const BlockFrame* both = latest == transaction.H.end()
                                 ? nullptr
                                 : common_block(latest->second.stack, blocks_.of(e.thread));
    if (both) second_acquire(e, mode, before, lock, names_of(both));
    if (both != blocks_.of(e.thread).get()) first_acquire(e, mode, before, lock, both);
    transaction.H[e.lock()] = {finding::EventRef::of(e), mode, blocks_.of(e.thread)};
  } else {
    ++outsides_;  // [ST OUTSIDE ACQUIRE]
  }
  after_errors(e, mode, before, lock);

  // A shared acquire interferes with exclusive ones only.
  for (Mode other : {kExclusive, kShared}) {
    if (mode == kShared && other == kShared) continue;
    lock.seen[other].A = before;
    lock.seen[other].last_acquire = finding::EventRef::of(e);
  }
}

void SideTrack::first_acquire(const trace::Event& e, Mode mode, const clocks::VectorClock& before,
                              const Lock& lock, const BlockFrame* around) {
  ++firsts_;
  const Seen& seen = lock.seen[mode];
  if (seen.A.leq(before)) return;
  threads_[e.thread].I[e.lock()].push_back(
      {seen.last_acquire, blocks_.of(e.thread), around ? around->depth : 0});
}

void SideTrack::second_acquire(const trace::Event& e, Mode mode, const clocks::VectorClock& before,
                               Lock& lock, std::vector<finding::BlockName> blocks) {
  ++seconds_;
  Transaction& transaction = threads_[e.thread];
  const Acquire& first = transaction.H[e.lock()];
  const bool is_solid = first.mode == kExclusive && mode == kExclusive;
  // Who interferes with both acquires of the window.
  const Seen& seen = lock.seen[is_solid ? kExclusive : kShared];

  if (auto it = transaction.I.find(e.lock()); it != transaction.I.end()) {
    forget_ended(it->second, blocks_.of(e.thread));
    for (const Interference& interference : it->second) {
      const finding::EventRef& culprit = interference.culprit;
      if (!is_solid && culprit.kind == trace::EventKind::AcquireShared) continue;
      report(kBefore, blocks, first.event, culprit, finding::EventRef::of(e));
    }
  }
  if (!seen.R.leq(before))
    report(kIn, blocks, first.event, seen.last_acquire, finding::EventRef::of(e));

  for (Mode culprit : {kExclusive, kShared}) {
    if (culprit == kExclusive || is_solid) lock.seen[culprit].V.join(before);
  }
  add_window(lock.windows[e.thread],
             {before, first.event, finding::EventRef::of(e), std::move(blocks), is_solid});
}

void SideTrack::forget_ended(std::vector<Interference>& interferences, const BlockStack& now) {
  std::erase_if(interferences, [&](const Interference& interference) {
    const BlockFrame* open = common_block(interference.stack, now);
    return !open || open->depth <= interference.outside;
  });
}

void SideTrack::add_window(std::vector<Window>& windows, Window window) {
  auto is_blamed = [&](const finding::BlockName& name) {
    return std::ranges::find(window.blocks, name) != window.blocks.end();
  };
  std::erase_if(windows, [&](const Window& old) {
    return (window.is_solid || !old.is_solid) && std::ranges::all_of(old.blocks, is_blamed);
  });
  windows.push_back(std::move(window));
}

void SideTrack::after_errors(const trace::Event& e, Mode mode, const clocks::VectorClock& before,
                             const Lock& lock) {
  if (lock.seen[mode].V.leq(before)) return;
  for (const auto& [thread, windows] : lock.windows) {
    for (const Window& window : windows) {
      if (window.clock.leq(before) || (mode == kShared && !window.is_solid)) continue;
      report(kAfter, window.blocks, window.first, finding::EventRef::of(e), window.second);
    }
  }
}

void SideTrack::release(const trace::Event& e, Mode mode) {
  ++releases_;
  const clocks::VectorClock& now = clocks_.clock(e.thread);
  for (Mode other : {kExclusive, kShared}) {
    if (mode == kShared && other == kShared) continue;
    // Of shared releases none comes last.
    clocks::VectorClock& R = locks_[e.lock()].seen[other].R;
    if (mode == kShared) {
      R.join(now);
    } else {
      R = now;
    }
  }
  clocks_.on_event(e);
}

void SideTrack::report(Error error, std::vector<finding::BlockName> blocks,
                       const finding::EventRef& first, const finding::EventRef& culprit,
                       const finding::EventRef& second) {
  using enum finding::AtomicityPattern;
  static constexpr finding::AtomicityPattern kPatterns[] = {before_error, in_error, after_error};
  ++errors_[error];
  for (const finding::BlockName& block : blocks) blamed_[error].insert(block);
  sink_.propose({.kind = finding::FindingKind::atomicity,
                 .events = {first, culprit, second},
                 .blocks = std::move(blocks),
                 .pattern = kPatterns[error],
                 .meeting = {culprit, second}});
}

void SideTrack::use(const NeededResult& detector) {
  if (detector.proposals == 0) {
    race_freedom_ = fmt::format(
        "sidetrack assumes that there are no data races; {} found none in this run", detector.name);
  } else {
    race_freedom_ = fmt::format(
        "sidetrack assumes that there are no data races, but this run has some ({}): what only "
        "sidetrack says may be wrong",
        detector.name);
  }
}

void SideTrack::report_counters(CounterSink& sink) const {
  if (!race_freedom_.empty()) sink.note(race_freedom_);
  sink.count("transaction entered", enters_);
  sink.count("transaction left", exits_);
  sink.count("first acquire", firsts_);
  sink.count("second acquire", seconds_);
  sink.count("outside acquire", outsides_);
  sink.count("release", releases_);
  sink.count("BEFORE-ERROR", errors_[kBefore]);
  sink.count("IN-ERROR", errors_[kIn]);
  sink.count("AFTER-ERROR", errors_[kAfter]);
  // The columns of table 22.1.
  absl::flat_hash_set<finding::BlockName> all;
  for (const auto& blamed : blamed_) all.insert(blamed.begin(), blamed.end());
  uint64_t before_only = 0, after_only = 0, predicted = 0;
  for (const finding::BlockName& block : all) {
    if (blamed_[kIn].contains(block)) continue;
    before_only += blamed_[kBefore].contains(block);
    after_only += blamed_[kAfter].contains(block);
    ++predicted;
  }
  sink.count("blocks with errors", all.size());
  sink.count("blocks with BEFORE-ERRORS", blamed_[kBefore].size());
  sink.count("blocks with IN-ERRORS", blamed_[kIn].size());
  sink.count("blocks with AFTER-ERRORS", blamed_[kAfter].size());
  sink.count("blocks with BEFORE-, no IN-ERRORS", before_only);
  sink.count("blocks with AFTER-, no IN-ERRORS", after_only);
  sink.count("blocks with errors, no IN-ERRORS", predicted);
}

}  // namespace foretell::analysis
