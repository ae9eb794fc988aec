// SPDX-License-Identifier: Apache-2.0

#include "judge/witness_cleanup.h"

#include <absl/container/flat_hash_map.h>

#include <span>

#include "judge/fewer_switches.h"
#include "judge/needs.h"
#include "judge/reordering.h"

namespace foretell::judge {
namespace {

// What the witness's own choices need: who held a lock when a try failed, which sections had to end
// for others to begin, which write a read returned that several could serve.
class Choices {
 public:
  Choices(const TraceFacts& facts, Position recorded, std::span<const Position> order)
      : facts_(facts), order_(order), begins_(facts.steps_before(recorded)) {}

  void require(Needs& needs) const {
    Sections begun;  // needed sections so far
    for (Position p : order_) {
      const trace::Event& e = facts_.event(p);
      if (!needs.is_needed(p) || !begins_section(e.kind)) continue;
      std::vector<Position>& earlier = of_lock(begun, e.lock());
      std::erase_if(earlier, [&](Position begin) {
        const bool ended = excludes(e.kind, facts_.event(begin).kind);
        if (ended && facts_.match[begin] != kNoPosition) needs.require(facts_.match[begin]);
        return ended;
      });
      earlier.push_back(p);
    }
    absl::flat_hash_map<LocationId, Position> last_write;
    for (Position p : order_) {
      const trace::Event& e = facts_.event(p);
      if (!is_access(e.kind)) continue;
      if (is_read(e.kind) && needs.is_needed(p) && !facts_.values.keeps_writer(p)) {
        const auto written = last_write.find(e.location());
        if (written != last_write.end()) needs.require(written->second);
      }
      if (is_write(e.kind)) last_write[e.location()] = p;
    }
    Sections open;
    for (Position p : order_) {
      const trace::Event& e = facts_.event(p);
      if (begins_section(e.kind)) of_lock(open, e.lock()).push_back(p);
      if (ends_section(e.kind)) std::erase(of_lock(open, e.lock()), facts_.match[p]);
      const bool tried =
          e.kind == trace::EventKind::TryFail || e.kind == trace::EventKind::TryFailShared;
      if (tried && needs.is_needed(p)) needs.require(of_lock(open, e.lock()).front());
    }
  }

 private:
  using Sections = absl::flat_hash_map<LockId, std::vector<Position>>;

  // At first: what the recorded part left open.
  std::vector<Position>& of_lock(Sections& sections, LockId lock) const {
    auto [it, fresh] = sections.try_emplace(lock);
    if (fresh) {
      for (uint32_t t : facts_.locks.users(lock)) {
        const Position begin = facts_.locks.open_section(lock, t, begins_[t]);
        if (begin != kNoPosition) it->second.push_back(begin);
      }
    }
    return it->second;
  }

  const TraceFacts& facts_;
  std::span<const Position> order_;
  const std::vector<uint32_t> begins_;  // by thread: events of the recorded part
};

// The steps of a witness without its stopped events.
std::span<const Position> executed(const Goal& goal, const Reordering& witness) {
  return std::span(witness.steps).first(witness.steps.size() - goal.stopped().size());
}

Reordering drop_unneeded(const TraceFacts& facts, const Goal& goal, const Reordering& witness) {
  const std::span<const Position> order = executed(goal, witness);
  Needs needs(facts, goal);
  needs.require_recorded(witness.recorded);
  const Choices choices(facts, witness.recorded, order);
  for (size_t before = 0; !needs.contradiction() && before != needs.count();) {
    before = needs.count();
    choices.require(needs);
  }
  Reordering kept{witness.recorded};
  for (Position p : order) {
    if (needs.is_needed(p)) kept.steps.push_back(p);
  }
  kept.steps.insert(kept.steps.end(), goal.stopped().begin(), goal.stopped().end());
  return kept;
}

}  // namespace

Reordering clean_up_witness(const TraceFacts& facts, const Goal& goal, Reordering witness) {
  if (witness.size() <= kLongestCleanedWitness) witness = witness.written_out(facts.begins_at);
  if (witness.steps.size() > kLongestCleanedWitness) return witness;
  Reordering shorter = drop_unneeded(facts, goal, witness);
  if (!check_witness(facts, goal, shorter)) witness = std::move(shorter);
  return with_fewer_switches(facts, goal, std::move(witness));
}

}  // namespace foretell::judge
