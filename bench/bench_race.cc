// Events per second of race detectors, from events in memory.
//
// The synthetic run is made of critical sections by random threads, of 36 accesses each: half of
// them to memory only the thread uses, a third to read-only memory all share, the others to what
// the section's lock protects. A section touches 36 / repeats different locations, so repeats = 1
// is the worst case, in which no access is a repetition and nearly all miss the cache.
//
// Predictive analyses get the shape their goals are stated for (nested_run). Events per second are
// those of the trace over the time of all passes.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "analysis/race/causally_precedes/causally_precedes.h"
#include "analysis/race/djit/djit.h"
#include "analysis/race/fasttrack/fasttrack.h"
#include "analysis/race/happens_before/happens_before.h"
#include "analysis/race/must_before/must_before.h"
#include "analysis/race/predictable/predictable.h"
#include "analysis/race/shb/shb.h"
#include "analysis/race/sync_preserving/sync_preserving.h"
#include "analysis/race/wcp/wcp.h"
#include "trace/normalizer.h"
#include "trace/reader.h"
#include "trace/synthetic/synthetic.h"

namespace foretell {
namespace {

constexpr size_t kEvents = 4'000'000;
constexpr uint32_t kLocks = 64;
constexpr uint32_t kAccesses = 36;  // in a critical section

std::vector<trace::Event> synthetic_run(uint32_t threads, uint32_t locations, uint32_t repeats) {
  std::mt19937 random(1);
  auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  std::vector<trace::Event> events;
  auto add = [&](trace::EventKind kind, uint32_t thread, uint32_t object) {
    events.push_back({.kind = kind,
                      .thread = ThreadId{thread},
                      .object = object,
                      .site = SiteId{below(1000)},
                      .index = EventIndex{events.size()}});
  };
  const uint32_t part = locations / 4;  // read-only, protected, and two of private memory
  while (events.size() < kEvents) {
    const uint32_t thread = below(threads), lock = below(kLocks);
    add(trace::EventKind::Acquire, thread, lock);
    std::vector<std::pair<uint32_t, bool>> touched;  // location, read-only
    for (uint32_t i = 0; i < kAccesses / repeats; ++i) {
      const uint32_t area = below(6);
      if (area < 2) {
        touched.emplace_back(below(part), true);
      } else if (area == 2) {
        touched.emplace_back(part + below(part / kLocks) * kLocks + lock, false);
      } else {
        touched.emplace_back(2 * part + below(2 * part / threads) * threads + thread, false);
      }
    }
    for (uint32_t i = 0; i < kAccesses; ++i) {
      const auto [location, read_only] = touched[i % touched.size()];
      add(!read_only && below(3) == 0 ? trace::EventKind::Write : trace::EventKind::Read, thread,
          location);
    }
    add(trace::EventKind::Release, thread, lock);
  }
  events.resize(kEvents);
  return events;
}

struct CountingSink final : analysis::ProposalSink {
  void propose(finding::Proposal) override { ++races; }
  uint64_t races = 0;
};

void run_passes(analysis::Analysis& analysis, std::span<const trace::Event> events) {
  do {
    for (std::span<const trace::Event> rest = events; !rest.empty();) {
      const size_t size = std::min(rest.size(), trace::kBatchSize);
      analysis.on_events(rest.first(size));
      rest = rest.subspan(size);
    }
    analysis.finish();
  } while (analysis.wants_another_pass());
}

template <class Detector>
void race(benchmark::State& state) {
  const auto events =
      synthetic_run(static_cast<uint32_t>(state.range(0)), static_cast<uint32_t>(state.range(1)),
                    static_cast<uint32_t>(state.range(2)));
  CountingSink sink;
  for (auto _ : state) {
    Detector detector({}, sink);
    run_passes(detector, events);
  }
  if (sink.races != 0) state.SkipWithError("the synthetic run has no race");
  state.SetItemsProcessed(static_cast<int64_t>(kEvents) * state.iterations());
}

#define FORETELL_RACE_BENCHMARK(Detector)                  \
  BENCHMARK_TEMPLATE(race, Detector)                       \
      ->ArgNames({"threads", "locations", "repeats"})      \
      ->ArgsProduct({{4, 16}, {1 << 12, 1 << 17}, {1, 4}}) \
      ->Args({64, 1 << 20, 4})                             \
      ->Unit(benchmark::kMillisecond)

FORETELL_RACE_BENCHMARK(analysis::FastTrack);
FORETELL_RACE_BENCHMARK(analysis::Djit);
FORETELL_RACE_BENCHMARK(analysis::HappensBefore);
FORETELL_RACE_BENCHMARK(analysis::MustBefore);

// The predictive analyses: 10 M events of 16 threads with nested locks and 10 k locations, of which
// `racy` percent or so are used without locks. All passes of an analysis count as one.
constexpr size_t kNestedEvents = 10'000'000;

std::vector<trace::Event> nested_run(uint32_t racy) {
  std::vector<trace::Event> normal;
  std::unique_ptr<trace::Normalizer> normalizer;
  const trace::SyntheticOptions options{.events = kNestedEvents,
                                        .threads = 16,
                                        .nesting = 3,
                                        .locations = 10'000,
                                        .racy_weight = racy};
  auto done = generate_synthetic(
      options,
      [&](std::span<const trace::Event> raw, const trace::TraceTables& tables) -> Result<void> {
        if (!normalizer) {
          normalizer =
              std::make_unique<trace::Normalizer>(tables, std::make_unique<trace::CellMap>(tables));
        }
        return normalizer->run(raw, normal);
      });
  CHECK(done.has_value());
  return normal;
}

template <class Detector>
void predict(benchmark::State& state) {
  const auto events = nested_run(static_cast<uint32_t>(state.range(0)));
  CountingSink sink;
  for (auto _ : state) {
    Detector detector({}, sink);
    run_passes(detector, events);
  }
  if (state.range(0) == 0 && sink.races != 0) state.SkipWithError("the run has no race");
  state.counters["races"] =
      static_cast<double>(sink.races) / static_cast<double>(state.iterations());
  state.SetItemsProcessed(static_cast<int64_t>(events.size()) * state.iterations());
}

#define FORETELL_PREDICT_BENCHMARK(Detector) \
  BENCHMARK_TEMPLATE(predict, Detector)      \
      ->ArgName("racy")                      \
      ->Arg(0)                               \
      ->Arg(5)                               \
      ->Arg(50)                              \
      ->Unit(benchmark::kMillisecond)

FORETELL_PREDICT_BENCHMARK(analysis::FastTrack);
FORETELL_PREDICT_BENCHMARK(analysis::Shb);
FORETELL_PREDICT_BENCHMARK(analysis::Wcp);
FORETELL_PREDICT_BENCHMARK(analysis::CausallyPrecedes);
FORETELL_PREDICT_BENCHMARK(analysis::MustBefore);
FORETELL_PREDICT_BENCHMARK(analysis::SyncPreserving);
FORETELL_PREDICT_BENCHMARK(analysis::Predictable);

}  // namespace
}  // namespace foretell
