// SPDX-License-Identifier: Apache-2.0

#include "report/html/kept_events.h"

#include <algorithm>

#include "clocks/sync_edges.h"

namespace foretell::report::html {
namespace {

// Accesses and calls are most of a trace; of these only atomics may synchronize.
bool is_skeleton(trace::EventKind kind) {
  switch (kind) {
    case trace::EventKind::Read:
    case trace::EventKind::Write:
    case trace::EventKind::AtomicRead:
    case trace::EventKind::AtomicWrite:
    case trace::EventKind::AtomicRmw:
    case trace::EventKind::FunctionEnter:
    case trace::EventKind::FunctionExit:
    case trace::EventKind::Branch:
    case trace::EventKind::Alloc:
    case trace::EventKind::Free:
    case trace::EventKind::Request:
    case trace::EventKind::RequestShared:
      return false;
    case trace::EventKind::Acquire:
    case trace::EventKind::Release:
    case trace::EventKind::Fork:
    case trace::EventKind::Join:
    case trace::EventKind::BlockBegin:
    case trace::EventKind::BlockEnd:
    case trace::EventKind::ThreadBegin:
    case trace::EventKind::ThreadEnd:
    case trace::EventKind::Fence:
    case trace::EventKind::AcquireShared:
    case trace::EventKind::ReleaseShared:
    case trace::EventKind::TryFail:
    case trace::EventKind::TryFailShared:
    case trace::EventKind::WaitBegin:
    case trace::EventKind::WaitEnd:
    case trace::EventKind::NotifyOne:
    case trace::EventKind::NotifyAll:
    case trace::EventKind::BarrierEnter:
    case trace::EventKind::BarrierExit:
    case trace::EventKind::SemaphorePost:
    case trace::EventKind::SemaphoreWait:
    case trace::EventKind::DestroyLock:
    case trace::EventKind::DestroyCondition:
    case trace::EventKind::DestroyBarrier:
    case trace::EventKind::DestroySemaphore:
    case trace::EventKind::User:
      return true;
  }
  return false;
}

class Chooser {
 public:
  Chooser(const finding::AnalysisResult& result, const KeepLimits& limits)
      : result_(result), limits_(limits) {}

  void add_windows() {
    size_t left = limits_.windowed_findings;
    for (const auto* list : {&result_.findings, &result_.dismissed}) {
      for (const finding::Finding& finding : *list) {
        if (left == 0) return;
        --left;
        add_windows_of(finding);
      }
    }
  }

  Result<void> add_skeleton(trace::TraceStream& stream) {
    clocks::SyncEdges edges;
    for (;;) {
      auto batch = stream.next();
      if (!batch) return std::unexpected(std::move(batch).error());
      if (batch->empty()) return {};
      for (const trace::Event& e : *batch) {
        const std::vector<clocks::SyncEdge>& incoming = edges.on_event(e);
        if (is_life(e.kind)) keep(e.index);
        if (!has_skeleton_) continue;
        if (is_skeleton(e.kind) || !incoming.empty()) skeleton_.push_back(to_index(e.index));
        for (const clocks::SyncEdge& edge : incoming) skeleton_.push_back(to_index(edge.from));
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
  static bool is_life(trace::EventKind kind) {
    return kind == trace::EventKind::Fork || kind == trace::EventKind::Join ||
           kind == trace::EventKind::ThreadBegin || kind == trace::EventKind::ThreadEnd;
  }

  void keep(EventIndex index) { kept_.push_back(to_index(index)); }

  void add_window(EventIndex around) {
    const uint64_t middle = to_index(around);
    const uint64_t begin = middle < limits_.window ? 0 : middle - limits_.window;
    for (uint64_t i = begin; i <= middle + limits_.window; ++i) kept_.push_back(i);
  }

  void add_windows_of(const finding::Finding& finding) {
    for (const finding::DescribedEvent& e : finding.events) add_window(e.index);
    if (const auto* race = finding.as<finding::RaceFinding>()) {
      for (const finding::OrderEdge& edge : race->recorded.path) {
        add_window(edge.from.index);
        add_window(edge.to.index);
      }
    }
    if (const auto* read = finding.as<finding::NondeterminismFinding>(); read && read->seen_write) {
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

  const finding::AnalysisResult& result_;
  const KeepLimits& limits_;
  std::vector<uint64_t> kept_, skeleton_;
  bool has_skeleton_ = true;
};

}  // namespace

Result<KeptEvents> choose_events(trace::TraceStream& stream, const finding::AnalysisResult& result,
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

}  // namespace foretell::report::html
