// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/sliced/sliced.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <tuple>

#include "analysis/race/sliced/variable_groups.h"
#include "trace/lock_sections.h"

namespace foretell::analysis {
namespace {

using sliced::Variable;
using sliced::VariableGroups;

// Locations that two threads use and one of them changes.
std::vector<Variable> shared_variables(std::span<const trace::Event> events, size_t& count) {
  struct Use {
    ThreadId thread{};
    bool used = false, shared = false, changed = false;
  };
  DenseTable<Use, LocationId> uses;
  for (const trace::Event& e : events) {
    if (!is_access(e.kind)) continue;
    Use& use = uses[e.location()];
    use.shared |= use.used && use.thread != e.thread;
    use.changed |= is_write(e.kind) || e.kind == trace::EventKind::Free;
    use.thread = e.thread;
    use.used = true;
  }
  std::vector<Variable> variables(uses.size(), VariableGroups::kNoVariable);
  for (uint32_t i = 0; i < variables.size(); ++i) {
    const Use& use = uses[LocationId{i}];
    if (use.shared && use.changed) variables[i] = Variable{static_cast<uint32_t>(count++)};
  }
  return variables;
}

struct HeldLock {
  LockId lock;
  bool exclusive;
  auto operator<=>(const HeldLock&) const = default;
};
using LockSet = std::vector<HeldLock>;

bool exclude_each_other(const LockSet& a, const LockSet& b) {
  return std::ranges::any_of(a, [&](const HeldLock& mine) {
    return std::ranges::any_of(b, [&](const HeldLock& theirs) {
      return mine.lock == theirs.lock && (mine.exclusive || theirs.exclusive);
    });
  });
}

// The locks that a thread holds at each event.
class LocksOfEvents {
 public:
  // By event: a number for each different set.
  explicit LocksOfEvents(std::span<const trace::Event> events) {
    DenseTable<LockSet, ThreadId> held;
    for (const trace::Event& e : events) {
      LockSet& mine = held[e.thread];
      if (begins_section(e.kind)) mine.push_back({e.lock(), begins_exclusive(e.kind)});
      if (ends_section(e.kind)) {
        const auto ended = std::ranges::find(mine, e.lock(), &HeldLock::lock);
        if (ended != mine.end()) mine.erase(ended);
      }
      number_.push_back(intern(mine));
    }
  }
  uint32_t number(size_t event) const { return number_[event]; }
  const LockSet& operator[](uint32_t number) const { return sets_[number]; }

 private:
  uint32_t intern(LockSet set) {
    std::ranges::sort(set);
    const auto [it, fresh] = ids_.try_emplace(key_of(set), static_cast<uint32_t>(sets_.size()));
    if (fresh) sets_.push_back(std::move(set));
    return it->second;
  }
  using Key = std::vector<uint64_t>;
  static Key key_of(const LockSet& set) {
    Key key;
    for (const HeldLock& held : set)
      key.push_back(uint64_t{to_index(held.lock)} << 1 | held.exclusive);
    return key;
  }

  std::vector<uint32_t> number_;
  std::vector<LockSet> sets_;
  absl::flat_hash_map<Key, uint32_t> ids_;
};

// Accesses of one variable that no later access can tell apart.
struct AlikeAccesses {
  size_t event;
  clocks::Time before;
  uint32_t locks;
};

}  // namespace

void Sliced::finish() {
  static const std::vector<trace::StatementFacts> kNothing;
  const auto& facts = options_.statements != nullptr ? *options_.statements : kNothing;
  statements_ = facts.size();
  sliced::Statements statements(facts, options_.memory_of);
  const sliced::Dependences dependences(events_, statements, options_.allocation_of);
  if (!options_.goes_on(0.3)) return;
  size_t variables = 0;
  const std::vector<Variable> variable_of = shared_variables(events_, variables);
  VariableGroups groups(events_, dependences, variable_of, variables);
  variables_ = variables;
  groups_ = groups.group_count();
  if (!options_.goes_on(0.6)) return;

  const LocksOfEvents locks(events_);
  constexpr size_t kMostClasses = 256;
  using Sites = std::pair<SiteId, SiteId>;
  constexpr uint32_t kPairsOfSites = 8;
  absl::flat_hash_map<Sites, uint32_t> of_sites;
  std::vector<std::vector<AlikeAccesses>> classes(variables);
  absl::flat_hash_set<std::tuple<Variable, ThreadId, clocks::Time, uint32_t, SiteId, uint8_t>>
      known;
  groups.for_each_access([&](size_t place, clocks::Time before, const clocks::VectorClock& clock) {
    const trace::Event& e = events_[place];
    const Variable variable = variable_of[to_index(e.location())];
    std::vector<AlikeAccesses>& mine = classes[static_cast<size_t>(variable)];
    for (const AlikeAccesses& other : mine) {
      const trace::Event& first = events_[other.event];
      if (!clash(first, e)) continue;
      if (clock[first.thread] > other.before) {
        ++ordered_;
      } else if (exclude_each_other(locks[other.locks], locks[locks.number(place)])) {
        ++common_lock_;
      } else if (first.site != kNoSite && e.site != kNoSite &&
                 ++of_sites[std::minmax(first.site, e.site)] > kPairsOfSites) {
        ++left_out_;
      } else {
        ++proposed_;
        sink_.propose(finding::Proposal::race(e.location(), finding::EventRef::of(first),
                                              finding::EventRef::of(e)));
      }
    }
    const auto key = std::tuple(variable, e.thread, before, locks.number(place), e.site,
                                static_cast<uint8_t>(e.kind));
    if (!known.insert(key).second) return;
    if (mine.size() == kMostClasses) {
      ++left_out_;
    } else {
      mine.push_back({place, before, locks.number(place)});
    }
  });
  events_ = {};
}

void Sliced::report_counters(CounterSink& counters) const {
  counters.count("statement with facts", statements_);
  counters.count("shared variable", variables_);
  counters.count("group of variables", groups_);
  counters.count("pair ordered", ordered_);
  counters.count("pair under a common lock", common_lock_);
  counters.count("pair proposed", proposed_);
  counters.count("pair left out, at least", left_out_);
  if (statements_ == 0 && seen_ > 0) {
    counters.note(
        "sliced: nothing is known of the code, so every event counts as depending on all that its "
        "thread has read before");
  }
  if (seen_ > kMostEvents) counters.left_out("events beyond the first 16777216, for sliced races");
}

}  // namespace foretell::analysis
