// SPDX-License-Identifier: Apache-2.0

#include "report/html/kept_events.h"

#include <algorithm>

#include "clocks/sync_edges.h"

namespace foretell::html {
namespace {

// Accesses and calls are most of a trace; of these only atomics may synchronize.
bool is_skeleton(EventKind kind) {
  switch (kind) {
    case EventKind::Read:
    case EventKind::Write:
    case EventKind::AtomicRead:
    case EventKind::AtomicWrite:
    case EventKind::AtomicRmw:
    case EventKind::FunctionEnter:
    case EventKind::FunctionExit:
    case EventKind::Branch:
    case EventKind::Alloc:
    case EventKind::Free:
    case EventKind::Request:
    case EventKind::RequestShared:
      return false;
    case EventKind::Acquire:
    case EventKind::Release:
    case EventKind::Fork:
    case EventKind::Join:
    case EventKind::BlockBegin:
    case EventKind::BlockEnd:
    case EventKind::ThreadBegin:
    case EventKind::ThreadEnd:
    case EventKind::Fence:
    case EventKind::AcquireShared:
    case EventKind::ReleaseShared:
    case EventKind::TryFail:
    case EventKind::TryFailShared:
    case EventKind::WaitBegin:
    case EventKind::WaitEnd:
    case EventKind::NotifyOne:
    case EventKind::NotifyAll:
    case EventKind::BarrierEnter:
    case EventKind::BarrierExit:
    case EventKind::SemaphorePost:
    case EventKind::SemaphoreWait:
    case EventKind::User:
      return true;
  }
  return false;
}

class Chooser {
 public:
  Chooser(const AnalysisResult& result, const KeepLimits& limits)
      : result_(result), limits_(limits) {}

  void add_windows() {
    size_t left = limits_.windowed_findings;
    for (const auto* list : {&result_.findings, &result_.dismissed}) {
      for (const Finding& finding : *list) {
        if (left == 0) return;
        --left;
        add_windows_of(finding);
      }
    }
  }

  Result<void> add_skeleton(TraceStream& stream) {
    SyncEdges edges;
    for (;;) {
      auto batch = stream.next();
      if (!batch) return std::unexpected(std::move(batch).error());
      if (batch->empty()) return {};
      for (const Event& e : *batch) {
        const std::vector<SyncEdge>& incoming = edges.on_event(e);
        if (is_life(e.kind)) keep(e.index);
        if (!has_skeleton_) continue;
        if (is_skeleton(e.kind) || !incoming.empty()) skeleton_.push_back(to_index(e.index));
        for (const SyncEdge& edge : incoming) skeleton_.push_back(to_index(edge.from));
        if (skeleton_.size() > 2 * limits_.skeleton) compact_skeleton();
      }
    }
  }

  KeptEvents take() {
    if (has_skeleton_) compact_skeleton();
    if (has_skeleton_) kept_.insert(kept_.end(), skeleton_.begin(), skeleton_.end());
    std::ranges::sort(kept_);
    kept_.erase(std::unique(kept_.begin(), kept_.end()), kept_.end());
    return {.whole = false, .has_skeleton = has_skeleton_, .indices = std::move(kept_)};
  }

 private:
  static bool is_life(EventKind kind) {
    return kind == EventKind::Fork || kind == EventKind::Join || kind == EventKind::ThreadBegin ||
           kind == EventKind::ThreadEnd;
  }

  void keep(EventIndex index) { kept_.push_back(to_index(index)); }

  void add_window(EventIndex around) {
    const uint64_t middle = to_index(around);
    const uint64_t begin = middle < limits_.window ? 0 : middle - limits_.window;
    for (uint64_t i = begin; i <= middle + limits_.window; ++i) kept_.push_back(i);
  }

  void add_windows_of(const Finding& finding) {
    for (const DescribedEvent& e : finding.events) add_window(e.index);
    if (const auto* race = finding.as<RaceFinding>()) {
      for (const OrderEdge& edge : race->recorded.path) {
        add_window(edge.from.index);
        add_window(edge.to.index);
      }
    }
    if (const auto* read = finding.as<NondeterminismFinding>(); read && read->seen_write) {
      add_window(read->seen_write->index);
    }
    if (!finding.witness) return;
    const auto& steps = finding.witness->steps;
    for (size_t i = steps.size() - std::min(steps.size(), limits_.steps); i < steps.size(); ++i) {
      keep(steps[i]);
    }
  }

  // An event that several edges leave was counted several times.
  void compact_skeleton() {
    std::ranges::sort(skeleton_);
    skeleton_.erase(std::unique(skeleton_.begin(), skeleton_.end()), skeleton_.end());
    if (skeleton_.size() <= limits_.skeleton) return;
    has_skeleton_ = false;
    skeleton_ = {};
  }

  const AnalysisResult& result_;
  const KeepLimits& limits_;
  std::vector<uint64_t> kept_, skeleton_;
  bool has_skeleton_ = true;
};

}  // namespace

Result<KeptEvents> choose_events(TraceStream& stream, const AnalysisResult& result,
                                 const KeepLimits& limits) {
  if (result.trace.events <= limits.whole) return KeptEvents{};
  Chooser chooser(result, limits);
  chooser.add_windows();
  if (auto done = chooser.add_skeleton(stream); !done) {
    return std::unexpected(std::move(done).error());
  }
  stream.restart();
  return chooser.take();
}

}  // namespace foretell::html
