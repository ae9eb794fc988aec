// SPDX-License-Identifier: Apache-2.0

#include "analysis/atomicity/inference/inference.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <string>

namespace foretell::analysis {

void AtomicInference::note_sharing(const trace::Event& e) {
  if (!is_access(e.kind)) return;
  Location& location = locations_[e.location()];
  location.is_written |= is_write(e.kind) || e.kind == trace::EventKind::Free;
  if (location.sharing == Sharing::untouched) {
    location.sharing = Sharing::one_thread;
    location.owner = e.thread;
  } else if (location.owner != e.thread && location.sharing == Sharing::one_thread) {
    location.sharing = Sharing::read_by_many;
  }
  if (location.sharing == Sharing::read_by_many && location.is_written) {
    location.sharing = Sharing::shared;
  }
}

void AtomicInference::count(const trace::Event& e) {
  std::vector<Call>& calls = calls_[e.thread];
  if (e.kind == trace::EventKind::FunctionEnter) {
    calls.push_back({e.function()});
  } else if (e.kind == trace::EventKind::FunctionExit) {
    while (!calls.empty()) {
      const Call call = calls.back();
      calls.pop_back();
      if (!calls.empty()) {
        calls.back().shared += call.shared;
        // The outermost function is what the thread begins with.
        if (call.shared > 1) {
          Tally& tally = tallies_[call.function];
          ++tally.calls;
          tally.shared += call.shared;
        }
      }
      if (call.function == e.function()) break;
    }
  } else if (!calls.empty()) {
    const bool takes_lock = e.kind == trace::EventKind::Acquire ||
                            e.kind == trace::EventKind::AcquireShared ||
                            e.kind == trace::EventKind::WaitEnd;
    const bool touches = is_access(e.kind) && locations_[e.location()].sharing == Sharing::shared;
    if (takes_lock || touches) ++calls.back().shared;
  }
}

std::vector<finding::InferredBlock> AtomicInference::candidates(
    const trace::TraceTables& tables) const {
  std::vector<finding::InferredBlock> all;
  for (const auto& [function, tally] : tallies_) {
    all.push_back({std::string(tables.functions[function]), tally.calls, tally.shared});
  }
  std::ranges::sort(all, [](const finding::InferredBlock& a, const finding::InferredBlock& b) {
    return a.calls != b.calls ? a.calls > b.calls : a.function < b.function;
  });
  return all;
}

void AtomicInference::drop_violated(const std::vector<finding::Finding>& findings,
                                    std::vector<finding::InferredBlock>& candidates) {
  absl::flat_hash_set<std::string> violated;
  for (const finding::Finding& f : findings) {
    const auto* violation = f.as<finding::AtomicityFinding>();
    if (violation != nullptr) violated.insert(violation->blocks.begin(), violation->blocks.end());
  }
  std::erase_if(candidates,
                [&](const finding::InferredBlock& b) { return violated.contains(b.function); });
}

}  // namespace foretell::analysis
