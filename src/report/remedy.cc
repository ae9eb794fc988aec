// SPDX-License-Identifier: Apache-2.0

#include "report/remedy.h"

#include <fmt/format.h>

#include "report/deadlock_text.h"
#include "report/summary.h"

namespace foretell::report {
namespace {

const finding::HeldLock* held_by_name(const finding::DescribedEvent& e, const std::string& name) {
  for (const finding::HeldLock& lock : e.locks) {
    if (lock.name == name) return &lock;
  }
  return nullptr;
}

// The block gives a lock back between its two events, or has none that the other thread has.
std::string enlarged_block(const finding::Finding& finding) {
  if (finding.events.size() != 3) return "";
  const finding::DescribedEvent& first = finding.events[0];
  const finding::DescribedEvent& intruder = finding.events[1];
  const finding::DescribedEvent& second = finding.events[2];
  auto hold = [](const std::string& lock, const std::string& from, const std::string& to) {
    if (from.empty() || to.empty()) return fmt::format("hold '{}' throughout the block", lock);
    return fmt::format("hold '{}' from {} until after {}", lock, from, to);
  };
  if (waits_for_lock(first) && waits_for_lock(second) && first.object == second.object) {
    return hold(first.object, first.site, second.site);
  }
  for (const finding::HeldLock& lock : first.locks) {
    const finding::HeldLock* again = held_by_name(second, lock.name);
    if (again != nullptr) return hold(lock.name, lock.site, again->site);
  }
  if (intruder.locks.empty()) return "";
  return fmt::format("take '{}' around the whole block", intruder.locks.back().name);
}

std::string remedy(const finding::Finding& finding, const finding::RaceFinding& race) {
  if (finding.events.size() != 2) return "";
  if (race.missing_order.size() == 2) {
    return fmt::format("memory_order_release at {}, memory_order_acquire at {}",
                       race.missing_order[0].site, race.missing_order[1].site);
  }
  if (finding.verdict == finding::Verdict::unordered) {
    return "release and acquire on the atomics between the two";
  }
  for (size_t i : {0, 1}) {
    const finding::DescribedEvent& with = finding.events[i];
    const finding::DescribedEvent& without = finding.events[1 - i];
    if (!with.locks.empty() && without.locks.empty() && !with.locks.front().shared) {
      return fmt::format("take '{}' at {} too", with.locks.back().name, without.site);
    }
  }
  const finding::OrderEdge* hiding = race.recorded.hiding_edge();
  if (hiding != nullptr && !hiding->lock.empty() && finding.events[0].locks.empty() &&
      finding.events[1].locks.empty()) {
    return fmt::format("take '{}' in both places", hiding->lock);
  }
  return "";
}
std::string remedy(const finding::Finding& finding, const finding::MemoryFinding&) {
  const auto destroying = std::ranges::find_if(finding.events, is_destruction);
  if (destroying != finding.events.end() && finding.events.size() == 2) {
    const size_t use = destroying == finding.events.begin() ? 1 : 0;
    return fmt::format("destroy it after {} has ended: join it before {}",
                       finding.events[use].thread, destroying->site);
  }
  const auto freeing = std::ranges::find_if(
      finding.events, [](const auto& e) { return e.operation == trace::EventKind::Free; });
  if (freeing == finding.events.end() || finding.events.size() != 2) return "";
  const finding::DescribedEvent& use = finding.events[freeing == finding.events.begin() ? 1 : 0];
  return fmt::format("join {} before the {} at {}, or share the ownership", use.thread,
                     is_descriptor(*freeing) ? "close" : "free", freeing->site);
}
std::string remedy(const finding::Finding& finding, const finding::DeadlockFinding&) {
  return deadlock_fix(finding);
}
std::string remedy(const finding::Finding& finding, const finding::AtomicityFinding&) {
  return enlarged_block(finding);
}
std::string remedy(const finding::Finding&, const finding::NondeterminismFinding&) {
  return "";
}
std::string remedy(const finding::Finding&, const finding::PropertyFinding&) {
  return "";
}

std::string remedy(const finding::Finding&, const finding::MisuseFinding& misuse) {
  switch (misuse.how) {
    case trace::Misuse::unlock_of_other:
      return "unlock it in the thread that locked it; to hand over between threads use a semaphore";
    case trace::Misuse::unlock_of_free:
      return fmt::format("lock '{}' first, or drop the unlock", misuse.object);
    case trace::Misuse::destroy_locked:
      return "unlock it first, when nobody can lock it any more";
    case trace::Misuse::destroy_awaited:
      return "wake and join the threads that wait for it first";
    case trace::Misuse::relock:
      return "";
    case trace::Misuse::wait_unlocked:
      return fmt::format("lock '{}' before the wait, and test the condition under it",
                         misuse.object);
    case trace::Misuse::wait_with_other:
      return "use one mutex for all waits on a condition";
  }
  return "";
}

}  // namespace

std::string remedy_for(const finding::Finding& finding) {
  return std::visit([&](const auto& details) { return remedy(finding, details); }, finding.details);
}

}  // namespace foretell::report
