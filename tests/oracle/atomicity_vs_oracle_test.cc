// SPDX-License-Identifier: Apache-2.0

// The atomicity analyses against brute force: velodrome against the definition on the recorded
// order, the judged proposals of the others against every reordering.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "analysis/atomicity/predicted/predicted.h"
#include "analysis/atomicity/sidetrack/sidetrack.h"
#include "analysis/atomicity/velodrome/velodrome.h"
#include "conflict.h"
#include "oracle.h"
#include "pipeline/collector.h"
#include "pipeline/judging.h"
#include "property.h"

namespace foretell::oracle {
namespace {

// Blocks by the positions of their begin and their last event.
using Blocks = std::vector<std::pair<Position, Position>>;

Blocks blocks_of(const Semantics& semantics) {
  Blocks blocks;
  for (uint32_t t = 0; t < semantics.thread_count(); ++t) {
    std::vector<size_t> open;
    for (Position p : semantics.events_of(ThreadId{t})) {
      if (semantics.event(p).kind == trace::EventKind::BlockBegin) {
        open.push_back(blocks.size());
        blocks.emplace_back(p, p);
      }
      for (size_t block : open) blocks[block].second = p;
      if (semantics.event(p).kind == trace::EventKind::BlockEnd) open.pop_back();
    }
  }
  return blocks;
}

bool contains(const Semantics& semantics, std::pair<Position, Position> block, Position p) {
  return block.first <= p && p <= block.second &&
         semantics.event(p).thread == semantics.event(block.first).thread;
}

// before[a][b]: a path of conflicts leads from a to b, in recorded order.
std::vector<std::vector<bool>> conflict_order(const Semantics& semantics) {
  const Position n = semantics.size();
  std::vector<std::vector<bool>> before(n, std::vector<bool>(n));
  for (Position b = 0; b < n; ++b) {
    for (Position a = b; a-- > 0;) {
      if (!conflict(semantics, a, b)) continue;
      before[a][b] = true;
      for (Position c = 0; c < a; ++c) before[c][b] = before[c][b] || before[c][a];
    }
  }
  return before;
}

std::set<Position> violated_blocks(const Semantics& semantics) {
  const auto before = conflict_order(semantics);
  std::set<Position> violated;
  for (const auto& block : blocks_of(semantics)) {
    for (Position f = 0; f < semantics.size(); ++f) {
      if (contains(semantics, block, f)) continue;
      bool after = false, ahead = false;
      for (Position p = block.first; p <= block.second; ++p) {
        if (!contains(semantics, block, p)) continue;
        after |= p < f && before[p][f];
        ahead |= f < p && before[f][p];
      }
      if (after && ahead) violated.insert(block.first);
    }
  }
  return violated;
}

// Whether the graph of outermost blocks and single events has no cycle.
bool is_serializable(const Semantics& semantics) {
  const Position n = semantics.size();
  std::vector<Position> transaction(n);
  std::iota(transaction.begin(), transaction.end(), 0u);
  for (const auto& block : blocks_of(semantics)) {
    for (Position p = block.first; p <= block.second; ++p) {
      if (contains(semantics, block, p)) transaction[p] = std::min(transaction[p], block.first);
    }
  }
  std::vector<std::vector<bool>> reach(n, std::vector<bool>(n));
  for (Position b = 0; b < n; ++b) {
    for (Position a = 0; a < b; ++a) {
      if (transaction[a] != transaction[b] && conflict(semantics, a, b)) {
        reach[transaction[a]][transaction[b]] = true;
      }
    }
  }
  for (Position k = 0; k < n; ++k) {
    for (Position i = 0; i < n; ++i) {
      for (Position j = 0; j < n; ++j) {
        if (reach[i][k] && reach[k][j]) reach[i][j] = true;
      }
    }
  }
  for (Position i = 0; i < n; ++i) {
    if (reach[i][i]) return false;
  }
  return true;
}

class Proposed final : public analysis::ProposalSink {
 public:
  void propose(finding::Proposal proposal) override {
    EXPECT_EQ(proposal.kind, finding::FindingKind::atomicity);
    proposals.push_back(std::move(proposal));
  }
  std::vector<finding::Proposal> proposals;
};

void run(analysis::Analysis& analysis, const trace::Trace& trace) {
  do {
    analysis.on_events(trace.events);
    analysis.finish();
  } while (analysis.wants_another_pass());
}

Position position_of(const trace::Trace& trace, const finding::EventRef& e) {
  const auto it = std::ranges::find(trace.events, e.index, &trace::Event::index);
  return static_cast<Position>(it - trace.events.begin());
}

// The begins of the blocks around the first and the last event, outermost first.
std::vector<Position> blamed_by(const Semantics& semantics, const finding::Proposal& proposal) {
  const Position first = position_of(semantics.trace(), proposal.events.front());
  const Position last = position_of(semantics.trace(), proposal.events.back());
  std::vector<Position> begins;
  for (const auto& block : blocks_of(semantics)) {
    if (contains(semantics, block, first) && contains(semantics, block, last)) {
      begins.push_back(block.first);
    }
  }
  return begins;
}

std::string velodrome_is_right(const trace::Trace& trace, Dice&) {
  const Semantics semantics(trace);
  Proposed sink;
  analysis::Velodrome velodrome({}, sink);
  run(velodrome, trace);
  if (velodrome.is_serializable() != is_serializable(semantics)) {
    return velodrome.is_serializable() ? "the run is not serializable" : "the run is serializable";
  }
  std::set<Position> blamed;
  for (const finding::Proposal& proposal : sink.proposals) {
    if (proposal.pattern == finding::AtomicityPattern::cycle) continue;
    const std::vector<Position> begins = blamed_by(semantics, proposal);
    if (begins.size() != proposal.blocks.size()) return "the wrong blocks are blamed";
    blamed.insert(begins.begin(), begins.end());
  }
  const std::set<Position> truth = violated_blocks(semantics);
  for (Position begin : blamed) {
    if (!truth.contains(begin)) return fmt::format("block {} is not violated", begin);
  }
  for (Position begin : truth) {
    if (!blamed.contains(begin)) return fmt::format("block {} is violated", begin);
  }
  return "";
}

// Locks and few variables, in and out of blocks.
Profile locked_blocks_profile() {
  Profile p{.name = "locked_blocks", .most_threads = 3, .locks = 2};
  p.least_events = 8;
  p.most_events = 13;
  p.locations = {0, 1};
  weigh(p, 8, {trace::EventKind::Acquire, trace::EventKind::Release});
  weigh(p, 4, {trace::EventKind::Read, trace::EventKind::Write, trace::EventKind::BlockBegin});
  weigh(p, 1,
        {trace::EventKind::BlockEnd, trace::EventKind::AcquireShared,
         trace::EventKind::ReleaseShared});
  weigh(p, 1, {trace::EventKind::Fork, trace::EventKind::Join});
  p.swarm = true;
  return p;
}

// So few things to do that blocks take a lock twice, and others want it.
Profile double_acquires_profile() {
  Profile p{.name = "double_acquires", .most_threads = 2, .locks = 2};
  p.least_events = 9;
  p.most_events = 13;
  p.locations = {0};
  weigh(p, 12, {trace::EventKind::Acquire, trace::EventKind::Release});
  weigh(p, 3, {trace::EventKind::BlockBegin});
  weigh(p, 2, {trace::EventKind::Read, trace::EventKind::Write});
  weigh(p, 1,
        {trace::EventKind::BlockEnd, trace::EventKind::AcquireShared,
         trace::EventKind::ReleaseShared});
  return p;
}

std::vector<Profile> atomicity_profiles() {
  return {block_profile(), locked_blocks_profile(), double_acquires_profile(),
          everything_profile()};
}

class AtomicityVsOracle : public testing::TestWithParam<Profile> {};

TEST_P(AtomicityVsOracle, VelodromeIsExactForTheRecordedOrder) {
  expect_property("velodrome", GetParam(), {.traces = 10'000, .most_events = 20},
                  velodrome_is_right);
}

// What came of the proposals of an analysis: the blocks with a witness.
template <class Detector>
std::set<Position> judged_blocks(const Semantics& semantics) {
  const trace::Trace& trace = semantics.trace();
  pipeline::ProposalCollector collector(true);
  Detector detector({}, collector.sink(0, {.judged = true}));
  run(detector, trace);
  std::vector<pipeline::Ruling> rulings = open_rulings(collector.groups());
  judge_in_memory(trace, rulings, {.jobs = 1});
  std::set<Position> found;
  for (const pipeline::Ruling& ruling : rulings) {
    if (!ruling.witness) continue;
    const std::vector<Position> begins = blamed_by(semantics, ruling.proposal);
    EXPECT_EQ(begins.size(), ruling.proposal.blocks.size());
    found.insert(begins.begin(), begins.end());
  }
  return found;
}

template <class Detector>
void expect_sound(std::string_view name, const Profile& profile, size_t least_found,
                  double least_share) {
  size_t found_ones = 0, violable = 0, missed = 0;
  auto property = [&](const trace::Trace& trace, Dice&) -> std::string {
    if (std::ranges::none_of(trace.events, [](const trace::Event& e) {
          return e.kind == trace::EventKind::BlockBegin;
        })) {
      return "";
    }
    const Oracle oracle(trace);
    const std::set<Position> found = judged_blocks<Detector>(oracle.semantics());
    if (!found.empty()) {
      const std::set<Position> truth = oracle.interruptible_blocks();
      for (Position begin : found) {
        if (!truth.contains(begin)) return fmt::format("block {} cannot be interrupted", begin);
      }
    }
    found_ones += found.size();
    for (Position begin : oracle.violable_blocks()) {
      ++violable;
      missed += !found.contains(begin);
    }
    return "";
  };
  expect_property(name, profile, {.traces = 10'000, .most_events = 14}, property);
  std::printf("%s, %s: %zu blocks found; of %zu violable ones %zu missed\n",
              std::string(name).c_str(), std::string(profile.name).c_str(), found_ones, violable,
              missed);
  EXPECT_GE(found_ones, least_found);
  EXPECT_GE(static_cast<double>(violable - missed), least_share * static_cast<double>(violable));
}

TEST_P(AtomicityVsOracle, WhatSideTrackProposesAndTheJudgeBuildsCanHappen) {
  const bool is_made_for_it = GetParam().name == "double_acquires";
  expect_sound<analysis::SideTrack>("sidetrack", GetParam(), is_made_for_it ? 20 : 0, 0);
}

TEST_P(AtomicityVsOracle, WhatIsPredictedAndTheJudgeBuildsCanHappen) {
  expect_sound<analysis::PredictedAtomicity>("predicted-atomicity", GetParam(), 10, 0.1);
}

// Events that, in this order, show that the block around the first and the last is not atomic.
using Pattern = std::vector<Position>;

bool writes(const trace::Event& e) {
  return e.kind != trace::EventKind::Read && e.kind != trace::EventKind::AtomicRead;
}

// Two accesses, not both reads, of different threads.
bool disagree(const trace::Event& a, const trace::Event& b) {
  return is_access(a.kind) && is_access(b.kind) && a.thread != b.thread &&
         a.location() == b.location() && (writes(a) || writes(b));
}

bool only_writes(const Semantics& semantics, const Pattern& pattern) {
  return std::ranges::all_of(pattern, [&](Position p) {
    const trace::EventKind kind = semantics.event(p).kind;
    return kind == trace::EventKind::Write || kind == trace::EventKind::AtomicWrite ||
           kind == trace::EventKind::Free;
  });
}

// What predicted_atomicity is about: a block's accesses of one location with another thread's
// between them, or of two with another thread's of the two between them.
std::vector<Pattern> patterns_of(const Semantics& semantics, std::pair<Position, Position> block) {
  std::vector<Pattern> patterns;
  const Position n = semantics.size();
  for (Position p = 0; p < n; ++p) {
    for (Position q = p + 1; q < n; ++q) {
      if (!contains(semantics, block, p) || !contains(semantics, block, q)) continue;
      const trace::Event &first = semantics.event(p), &last = semantics.event(q);
      if (first.index == last.index) continue;  // pieces of one access
      for (Position c = 0; c < n; ++c) {
        const trace::Event& one = semantics.event(c);
        if (!disagree(first, one)) continue;
        if (disagree(one, last) && !only_writes(semantics, {p, c, q})) {
          patterns.push_back({p, c, q});
        }
        for (Position d = c + 1; d < n; ++d) {
          const trace::Event& two = semantics.event(d);
          const bool is_other = two.thread == one.thread && two.index != one.index;
          if (is_other && disagree(two, last) && two.location() != one.location()) {
            patterns.push_back({p, c, d, q});
          }
        }
      }
    }
  }
  return patterns;
}

// Whether some correct reordering contains the events of a pattern in its order.
class PatternSearch {
 public:
  PatternSearch(const Semantics& semantics, const Pattern& pattern)
      : semantics_(semantics), pattern_(pattern) {}
  bool run() { return descend({semantics_.initial(), 0}); }

 private:
  using Situation = std::pair<State, size_t>;  // and how many of the pattern have happened

  bool descend(const Situation& now) {
    if (now.second == pattern_.size()) return true;
    if (!seen_.insert(now).second) return false;
    for (uint32_t t = 0; t < semantics_.thread_count(); ++t) {
      const auto p = semantics_.next(now.first, ThreadId{t});
      if (!p || !semantics_.enabled(now.first, *p)) continue;
      const auto place = std::ranges::find(pattern_, *p);
      const bool is_early = place > pattern_.begin() + static_cast<ptrdiff_t>(now.second);
      if (place != pattern_.end() && is_early) continue;
      const bool is_next = place != pattern_.end();
      if (descend({semantics_.after(now.first, *p), now.second + (is_next ? 1 : 0)})) return true;
    }
    return false;
  }

  const Semantics& semantics_;
  const Pattern& pattern_;
  std::set<Situation> seen_;
};

TEST_P(AtomicityVsOracle, EveryBlockThatAPatternOfTwoThreadsViolatesIsPredicted) {
  size_t violable = 0;
  auto property = [&](const trace::Trace& trace, Dice&) -> std::string {
    const Semantics semantics(trace);
    std::optional<std::set<Position>> found;
    for (const auto& block : blocks_of(semantics)) {
      for (const Pattern& pattern : patterns_of(semantics, block)) {
        if (!PatternSearch(semantics, pattern).run()) continue;
        ++violable;
        if (!found) found = judged_blocks<analysis::PredictedAtomicity>(semantics);
        if (!found->contains(block.first)) {
          return fmt::format("block {} can be violated: {}", block.first, fmt::join(pattern, ", "));
        }
        break;
      }
    }
    return "";
  };
  expect_property("predicted-atomicity-class", GetParam(), {.traces = 10'000, .most_events = 14},
                  property);
  EXPECT_GT(violable, 10u);
}

INSTANTIATE_TEST_SUITE_P(Profiles, AtomicityVsOracle, testing::ValuesIn(atomicity_profiles()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace foretell::oracle
