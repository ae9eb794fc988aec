// SPDX-License-Identifier: Apache-2.0

// SideTrack with nested blocks against PREDICT chapters 19 to 21, block by block.
//
// The rules of figure 20.3 are for one block. So each instance of a block is looked at as if it
// were the only one of the trace, and "concurrent" is chapter 19's: a later lock operation b is not
// concurrent with a if some c has a before it by happens-before and enables b. Blame is chapter
// 21's: all blocks that contain both acquires of the window.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "analysis/atomicity/sidetrack/sidetrack.h"
#include "property.h"
#include "semantics.h"

namespace foretell::oracle {
namespace {

// The kind of error, the block blamed, the culprit.
using Blame = std::tuple<std::string, std::string, uint64_t>;

class NaiveSideTrack {
 public:
  explicit NaiveSideTrack(const trace::Trace& trace) : trace_(trace), semantics_(trace) {
    find_blocks();
    find_order();
    for (const Block& block : blocks_) {
      for (uint32_t m = 0; m < trace.tables.locks.size(); ++m) look_at(block, LockId{m});
    }
  }

  std::set<Blame> blames;

 private:
  struct Block {
    ThreadId thread;
    std::string name;
    Position begin = 0, end = 0;
  };

  bool is_acquire(Position p, LockId lock) const {
    const trace::Event& e = semantics_.event(p);
    return e.kind == trace::EventKind::Acquire && e.lock() == lock;
  }

  void find_blocks() {
    for (uint32_t t = 0; t < semantics_.thread_count(); ++t) {
      std::vector<size_t> open;
      for (Position p : semantics_.events_of(ThreadId{t})) {
        const trace::Event& e = semantics_.event(p);
        if (e.kind == trace::EventKind::BlockBegin) {
          open.push_back(blocks_.size());
          blocks_.push_back({e.thread, std::string(trace_.tables.labels[e.label()]), p, p});
        }
        for (size_t block : open) blocks_[block].end = p;
        if (e.kind == trace::EventKind::BlockEnd) open.pop_back();
      }
    }
  }

  // Whether b comes after a in every schedule.
  bool enables(Position a, Position b) const {
    const trace::Event &one = semantics_.event(a), &other = semantics_.event(b);
    return one.thread == other.thread ||
           (one.kind == trace::EventKind::Fork && one.other_thread() == other.thread) ||
           (other.kind == trace::EventKind::Join && other.other_thread() == one.thread);
  }

  bool orders(Position a, Position b) const {
    const trace::Event &one = semantics_.event(a), &other = semantics_.event(b);
    return enables(a, b) || (one.kind == trace::EventKind::Release &&
                             other.kind == trace::EventKind::Acquire && one.lock() == other.lock());
  }

  // before_[a][b]: a happens before b. known_[a][b]: also if b did not learn from its lock.
  void find_order() {
    const Position n = semantics_.size();
    before_.assign(n, std::vector<bool>(n));
    known_ = before_;
    for (Position b = 0; b < n; ++b) {
      for (Position a = 0; a < b; ++a) {
        if (!orders(a, b)) continue;
        for (Position c = 0; c <= a; ++c) {
          if (c != a && !before_[c][a]) continue;
          before_[c][b] = true;
          if (enables(a, b)) known_[c][b] = true;
        }
      }
    }
  }

  void blame(std::string_view error, Position first, Position culprit, Position second) {
    for (const Block& block : blocks_) {
      if (block.thread != semantics_.event(first).thread) continue;
      if (first < block.begin || block.end < second) continue;
      blames.emplace(error, block.name, culprit);
    }
  }

  // The release of the section that an acquire begins; a later acquire of the lock follows it.
  Position release_after(Position acquire) const {
    const trace::Event& begin = semantics_.event(acquire);
    for (Position p = acquire;; ++p) {
      const trace::Event& e = semantics_.event(p);
      if (e.kind == trace::EventKind::Release && e.thread == begin.thread &&
          e.lock() == begin.lock()) {
        return p;
      }
    }
  }

  void look_at(const Block& block, LockId lock) {
    std::vector<Position> all, mine;
    for (Position p = 0; p < semantics_.size(); ++p) {
      if (!is_acquire(p, lock)) continue;
      all.push_back(p);
      if (semantics_.event(p).thread == block.thread && block.begin < p && p <= block.end) {
        mine.push_back(p);
      }
    }
    for (size_t i = 1; i < mine.size(); ++i) {
      // Of the culprits before the window only the last one before the block's first acquire
      // counts.
      for (size_t c = 0; c + 1 < all.size(); ++c) {
        if (all[c + 1] == mine[0] && !known_[all[c]][mine[0]]) {
          blame("BEFORE-ERROR", mine[i - 1], all[c], mine[i]);
        }
        if (all[c + 1] == mine[i] && !known_[release_after(all[c])][mine[i]]) {
          blame("IN-ERROR", mine[i - 1], all[c], mine[i]);
        }
      }
      for (Position culprit : all) {
        if (culprit > mine[i] && !known_[mine[i]][culprit]) {
          blame("AFTER-ERROR", mine[i - 1], culprit, mine[i]);
        }
      }
    }
  }

  const trace::Trace& trace_;
  Semantics semantics_;
  std::vector<Block> blocks_;
  std::vector<std::vector<bool>> before_, known_;
};

class Blames final : public analysis::ProposalSink {
 public:
  explicit Blames(const trace::Trace& trace) : trace_(trace) {}
  void propose(finding::Proposal proposal) override {
    EXPECT_EQ(proposal.kind, finding::FindingKind::atomicity);
    for (const finding::BlockName& block : proposal.blocks) {
      blames.emplace(word_of(proposal.pattern), trace_.tables.labels[LabelId{block.id}],
                     position_of(proposal.events[1]));
    }
  }

  std::set<Blame> blames;

 private:
  Position position_of(const finding::EventRef& e) const {
    const auto it = std::ranges::find(trace_.events, e.index, &trace::Event::index);
    return static_cast<Position>(it - trace_.events.begin());
  }

  const trace::Trace& trace_;
};

std::set<std::string> kinds_of(const std::set<Blame>& blames) {
  std::set<std::string> kinds;
  for (const auto& [error, block, culprit] : blames) kinds.insert(error);
  return kinds;
}

Profile nested_blocks_profile(uint32_t threads) {
  Profile p{.name = threads == 2 ? "two_threads" : "more_threads", .most_threads = threads};
  p.locks = 2;
  p.least_events = 12;
  p.most_events = 34;
  p.locations = {0};
  weigh(p, 16, {trace::EventKind::Acquire, trace::EventKind::Release});
  weigh(p, 5, {trace::EventKind::BlockBegin});
  weigh(p, 3, {trace::EventKind::BlockEnd});
  weigh(p, 1, {trace::EventKind::Fork, trace::EventKind::Join});
  return p;
}

class SideTrackVsDefinition : public testing::TestWithParam<Profile> {};

TEST_P(SideTrackVsDefinition, NestedBlocksAreBlamedAsIfEachWereAlone) {
  std::map<std::string, size_t> traces_with;
  auto property = [&](const trace::Trace& trace, Dice&) -> std::string {
    const NaiveSideTrack naive(trace);
    Blames found(trace);
    analysis::SideTrack sidetrack({}, found);
    for (const trace::Event& e : trace.events) sidetrack.on_event(e);
    for (const std::string& kind : kinds_of(naive.blames)) ++traces_with[kind];
    if (found.blames == naive.blames) return "";
    return fmt::format("reported {}; by the definition {}", found.blames, naive.blames);
  };
  expect_property("sidetrack-definition", GetParam(), {.traces = 5'000, .most_events = 40},
                  property);
  for (const char* kind : {"BEFORE-ERROR", "IN-ERROR", "AFTER-ERROR"}) {
    EXPECT_GT(traces_with[kind], 100u) << kind;
  }
}

INSTANTIATE_TEST_SUITE_P(Profiles, SideTrackVsDefinition,
                         testing::Values(nested_blocks_profile(2), nested_blocks_profile(4)),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace foretell::oracle
