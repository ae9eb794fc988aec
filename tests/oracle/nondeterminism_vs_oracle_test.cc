// SPDX-License-Identifier: Apache-2.0

// Exact determinism against the oracle: every read of every small trace, and its final state.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/determinism/exact/read_views.h"
#include "analysis/determinism/final_reads.h"
#include "oracle.h"
#include "property.h"

namespace foretell::oracle {
namespace {

using Writers = std::set<std::optional<Position>>;

std::string writers_text(const Writers& writers) {
  std::string text;
  for (const auto& writer : writers) {
    text += (text.empty() ? "" : " ") + (writer ? std::to_string(*writer) : "initial");
  }
  return text.empty() ? "none" : text;
}

Writers others_of(const analysis::ReadView& view, std::string& fault) {
  Writers writers;
  for (const analysis::SeenWrite& seen : view.others) {
    if (seen.outcome == judge::JudgeOutcome::gave_up) fault = "the judge gave up";
    writers.insert(seen.writer == judge::kNoPosition ? std::nullopt : std::optional(seen.writer));
  }
  return writers;
}

std::string reads_agree(const trace::Trace& trace, Dice&) {
  Truth truth = Oracle(trace).schedules();
  const judge::Judge judge(trace);
  analysis::ReadViews views(judge);
  for (Position read = 0; read < trace.events.size(); ++read) {
    if (!is_read(trace.events[read].kind)) continue;
    std::string fault;
    const analysis::ReadView view = views.of(read);
    const Writers seen = others_of(view, fault);
    if (fault.empty() && seen != truth.other_writers[read]) {
      fault = fmt::format("can see {}, not {}", writers_text(truth.other_writers[read]),
                          writers_text(seen));
    }
    for (const analysis::SeenWrite& other : view.others) {
      if (fault.empty() && !views.witness(read, other.writer)) fault = "no witness";
    }
    if (!fault.empty()) return fmt::format("read {}: {}", read, fault);
  }
  const analysis::ViewCounts& counts = views.counts();
  const uint64_t decided = counts.ordered + counts.feasible() + counts.judged_impossible;
  return decided == counts.triplets ? "" : "triplets are not counted right";
}

// The last writes of every location over all reorderings that contain every event.
class Endings final : public Visitor {
 public:
  explicit Endings(const Semantics& semantics) : semantics_(semantics) {}

  void visit(const State& state, std::span<const Position>) override {
    for (Position p = 0; p < semantics_.size(); ++p) {
      if (!semantics_.happened(state, p)) return;
    }
    for (size_t i = 0; i < state.last_write.size(); ++i) last[i].insert(state.last_write[i]);
  }

  std::map<size_t, Writers> last;  // by location

 private:
  const Semantics& semantics_;
};

std::string endings_agree(const trace::Trace& trace, Dice&) {
  const Semantics semantics(trace);
  Endings endings(semantics);
  explore(semantics, endings);
  const judge::TraceFacts facts(trace);
  const std::vector<LocationId> open = analysis::open_final_states(facts);
  const analysis::FinalReads final = analysis::add_final_reads(trace, open);
  const judge::Judge judge(final.trace, {.exact_up_to = final.trace.events.size()});
  analysis::ReadViews views(judge);
  for (const auto& [i, writers] : endings.last) {
    const LocationId location{static_cast<uint32_t>(i)};
    if (i >= facts.location_count() || facts.frees_of.contains(location)) continue;
    const auto asked = std::ranges::find(open, location);
    if (asked == open.end()) {
      if (writers.size() > 1) return fmt::format("location {} is not asked about", i);
      continue;
    }
    std::string fault;
    const analysis::ReadView view =
        views.of(final.reads[static_cast<size_t>(asked - open.begin())]);
    Writers seen = others_of(view, fault);
    seen.insert(view.recorded == judge::kNoPosition ? std::nullopt : std::optional(view.recorded));
    if (fault.empty() && seen != writers) {
      fault = fmt::format("can be {}, not {}", writers_text(writers), writers_text(seen));
    }
    if (!fault.empty()) return fmt::format("last write of location {}: {}", i, fault);
  }
  return "";
}

class NondeterminismVsOracle : public testing::TestWithParam<Profile> {};

TEST_P(NondeterminismVsOracle, EveryReadSeesWhatItCanSee) {
  expect_property("nondeterminism", GetParam(), {.traces = 3000, .most_events = 14}, reads_agree);
}

TEST_P(NondeterminismVsOracle, FinalStatesAreWhatTheyCanBe) {
  expect_property("final-state", GetParam(), {.traces = 2000, .most_events = 12}, endings_agree);
}

INSTANTIATE_TEST_SUITE_P(Profiles, NondeterminismVsOracle, testing::ValuesIn(all_profiles()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace foretell::oracle
