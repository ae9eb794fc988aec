// SPDX-License-Identifier: Apache-2.0

#include "explore/arrangement.h"

#include <algorithm>

#include "explore/histories.h"
#include "trace/lock_sections.h"

namespace foretell::explore {
namespace {

using judge::kNoPosition;
using judge::Position;
using trace::EventKind;

constexpr uint32_t kNobody = ~uint32_t{0}, kSeveral = ~uint32_t{0} - 1;

}  // namespace

std::vector<Position> lock_predecessors(const judge::TraceFacts& facts) {
  std::vector<Position> predecessors(facts.size(), kNoPosition);
  absl::flat_hash_map<LockId, Position> last;
  for (Position p = 0; p < facts.size(); ++p) {
    const trace::Event& e = facts.event(p);
    if (begins_section(e.kind)) {
      const auto it = last.find(e.lock());
      if (it != last.end()) predecessors[p] = it->second;
    } else if (ends_section(e.kind)) {
      last[e.lock()] = p;
    }
  }
  return predecessors;
}

Arrangement::Arrangement(const judge::TraceFacts& facts, std::span<const Position> predecessors,
                         std::vector<uint32_t> limits, Deviation deviation)
    : facts_(facts),
      predecessors_(predecessors),
      limits_(std::move(limits)),
      deviation_(std::move(deviation)),
      users_(facts.location_count(), kNobody) {
  if (deviation_.first != kNoPosition) {
    limits_[facts.thread_index(deviation_.first)] = facts.step[end_of(deviation_.first) - 1] + 1;
  }
  state_.done.resize(limits_.size());
  state_.last_write.resize(facts.location_count(), kNoPosition);
  state_.frees.resize(facts.location_count());
  state_.wanted.resize(facts.size());
  state_.wanted_initial.resize(facts.location_count());
  for (size_t t = 0; t < limits_.size(); ++t) {
    all_ += limits_[t];
    for (uint32_t s = 0; s < limits_[t]; ++s) {
      const Position p = facts.events_of[t][s];
      const trace::Event& e = facts.event(p);
      if (!is_access(e.kind)) continue;
      uint32_t& user = users_[to_index(e.location())];
      user = user == kNobody || user == t ? static_cast<uint32_t>(t) : kSeveral;
      if (is_read(e.kind)) want(p, 1);
    }
  }
}

void Arrangement::want(Position p, int by) {
  const Position writer = writer_of(p);
  uint32_t& count = writer == kNoPosition
                        ? state_.wanted_initial[to_index(facts_.event(p).location())]
                        : state_.wanted[writer];
  count += static_cast<uint32_t>(by);
}

Position Arrangement::writer_of(Position p) const {
  const bool deviates = !deviation_.writers.empty() && p >= deviation_.first &&
                        p < deviation_.first + deviation_.writers.size();
  const Position writer = deviates ? deviation_.writers[p - deviation_.first] : facts_.partner[p];
  return writer == judge::kUnknownWriter ? kNoPosition : writer;
}

Position Arrangement::released_before(Position p) const {
  return p == deviation_.first ? deviation_.released : predecessors_[p];
}

Position Arrangement::next_of(size_t thread) const {
  return state_.done[thread] < limits_[thread] ? facts_.events_of[thread][state_.done[thread]]
                                               : kNoPosition;
}

Position Arrangement::end_of(Position first) const {
  return pieces_of(facts_, first).second;
}

bool Arrangement::happened(Position p) const {
  return facts_.step[p] < state_.done[facts_.thread_index(p)];
}

// Whether somebody has still to read what it overwrites. What it reads itself does not count.
bool Arrangement::would_lose_a_value(Position first) const {
  for (Position p = first, end = end_of(first); p < end; ++p) {
    const trace::Event& e = facts_.event(p);
    if (!is_write(e.kind)) continue;
    const size_t location = to_index(e.location());
    const Position last = state_.last_write[location];
    const uint32_t wanted =
        last == kNoPosition ? state_.wanted_initial[location] : state_.wanted[last];
    const uint32_t mine = is_read(e.kind) && writer_of(p) == last ? 1 : 0;
    if (wanted > mine) return true;
  }
  return false;
}

bool Arrangement::is_enabled(Position first) const {
  const trace::Event& e = facts_.event(first);
  const bool deviates = first == deviation_.first;
  for (Position p = first, end = end_of(first); p < end; ++p) {
    bool ready = true;
    facts_.for_each_need(p, [&](Position q) {
      const bool is_own_writer = is_read(facts_.event(p).kind) && q == facts_.partner[p];
      if (!(deviates && is_own_writer) && !happened(q)) ready = false;
    });
    if (!ready) return false;
    if (!is_access(facts_.event(p).kind)) continue;
    const size_t location = to_index(facts_.event(p).location());
    if (state_.frees[location] != facts_.frees_before[p]) return false;
    if (is_read(facts_.event(p).kind) && state_.last_write[location] != writer_of(p)) return false;
  }
  if (begins_section(e.kind)) {
    const auto held = state_.held.find(e.lock());
    const bool is_shared = e.kind == EventKind::AcquireShared;
    if (!is_shared && held != state_.held.end() && held->second > 0) return false;
    const auto last = state_.last_release.find(e.lock());
    const Position released = last == state_.last_release.end() ? kNoPosition : last->second;
    if (!is_shared && released != released_before(first)) return false;
  }
  if (e.kind == EventKind::TryFail || e.kind == EventKind::TryFailShared) {
    const auto held = state_.held.find(e.lock());
    if (held == state_.held.end() || held->second == 0) return false;
  }
  return !would_lose_a_value(first);
}

bool Arrangement::is_choice(Position first) const {
  if (facts_.event(first).kind == EventKind::Free) return true;
  for (Position p = first, end = end_of(first); p < end; ++p) {
    const trace::Event& e = facts_.event(p);
    if (is_write(e.kind) && users_[to_index(e.location())] == kSeveral) return true;
  }
  return false;
}

void Arrangement::execute(Position first) {
  const Position end = end_of(first);
  for (Position p = first; p < end; ++p) {
    const trace::Event& e = facts_.event(p);
    if (is_read(e.kind)) want(p, -1);
    if (is_write(e.kind)) state_.last_write[to_index(e.location())] = p;
    if (e.kind == EventKind::Free) ++state_.frees[to_index(e.location())];
  }
  const trace::Event& e = facts_.event(first);
  if (begins_section(e.kind)) ++state_.held[e.lock()];
  if (ends_section(e.kind)) {
    --state_.held[e.lock()];
    state_.last_release[e.lock()] = first;
  }
  state_.done[facts_.thread_index(first)] += end - first;
  state_.order.push_back(first);
  steps_ += end - first;
}

// Everything whose moment does not matter.
void Arrangement::run_forced() {
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (size_t t = 0; t < limits_.size(); ++t) {
      for (Position p = next_of(t); p != kNoPosition && !is_choice(p) && is_enabled(p);
           p = next_of(t)) {
        execute(p);
        goes_on = true;
      }
    }
  }
}

ArrangementOutcome Arrangement::find() {
  struct Branch {
    State before;
    std::vector<Position> choices;
  };
  std::vector<Branch> branches;
  absl::flat_hash_map<std::vector<uint32_t>, bool> seen;
  for (;;) {
    run_forced();
    size_t done = 0;
    for (const uint32_t count : state_.done) done += count;
    if (done == all_) return ArrangementOutcome::found;
    if (steps_ > kMostSteps) return ArrangementOutcome::gave_up;
    std::vector<Position> choices;
    for (size_t t = 0; t < limits_.size(); ++t) {
      const Position p = next_of(t);
      if (p != kNoPosition && is_enabled(p)) choices.push_back(p);
    }
    std::ranges::sort(choices);
    if (choices.size() > 1) {
      // The same events, and the same last writes: where it leads is known.
      std::vector<uint32_t> key = state_.done;
      for (size_t l = 0; l < users_.size(); ++l) {
        if (users_[l] == kSeveral) key.push_back(state_.last_write[l]);
      }
      if (!seen.try_emplace(std::move(key), true).second) choices.clear();
    }
    if (choices.empty()) {
      while (!branches.empty() && branches.back().choices.empty()) branches.pop_back();
      if (branches.empty()) return ArrangementOutcome::impossible;
      state_ = branches.back().before;
      const Position p = branches.back().choices.front();
      branches.back().choices.erase(branches.back().choices.begin());
      execute(p);
      continue;
    }
    const Position p = choices.front();
    choices.erase(choices.begin());
    if (!choices.empty()) branches.push_back({state_, std::move(choices)});
    execute(p);
  }
}

}  // namespace foretell::explore
