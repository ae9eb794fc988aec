// Speed of reading recordings: a synthetic controlled run of ordinary shape.
//
//   build/release/bin/bench_recording
//
// items_per_second is records per second, bookkeeping not counted.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "trace/recording/recording_reader.h"
#include "unit/trace/recording_builder.h"

namespace foretell {
namespace {

using enum recording::Op;

constexpr uint64_t kSteps = 4'000'000;

// Runs of 40 steps per thread; 85 % accesses, each site mostly at its own place or walking an
// array.
std::string recorded_run(uint64_t words, bool parallel, bool encoded) {
  std::mt19937_64 random(1);
  trace::RecordingBuilder b(parallel ? recording::Mode::parallel : recording::Mode::controlled);
  b.header.slot_size = recording::kSlotSize;
  b.encoded = encoded;
  constexpr uint32_t kSites = 2000;
  for (uint32_t i = 0; i < kSites; ++i) b.site("file.cpp", 1 + i, "function", "object->field");
  b.global(0x400000, 4096, "table");
  std::vector<uint64_t> cursor(kSites);
  for (uint64_t& at : cursor) at = random() % words;
  uint64_t number = 0;
  for (uint64_t i = 0; i < kSteps; ++i) {
    const uint64_t thread = i / 40 % 8;
    if (i % 40 == 0) b.on(thread);
    const auto site = static_cast<uint32_t>(1 + random() % kSites);
    const uint64_t kind = random() % 100;
    if (kind < 85) {
      uint64_t& at = cursor[site - 1];
      if (random() % 2 == 0) at = (at + 1) % words;
      const uint64_t address =
          (parallel ? uint64_t{0x7f0000000000} + (thread << 32) : 0x7f0000000000) + 8 * at;
      b.record(kind < 55 ? Read8 : Write8, site, address, 0);
    } else if (kind < 95) {
      b.record(Branch, site, 0, kind & 1);
    } else {
      if (parallel) b.record(Sequence, 0, ++number);
      const uint64_t lock = 0x600000 + 64 * thread;
      b.record(Acquire, site, lock);
      if (parallel) b.record(Sequence, 0, ++number);
      b.record(Release, site, lock);
      ++i;
    }
  }
  return b.bytes();
}

void read_run(benchmark::State& state, bool parallel, bool encoded = false) {
  const std::string bytes = recorded_run(static_cast<uint64_t>(state.range(0)), parallel, encoded);
  auto reader = trace::make_recording_reader(InputFile::from_memory(bytes));
  if (!reader) std::exit(1);
  std::vector<trace::Event> batch(trace::kBatchSize);
  uint64_t events = 0;
  for (auto _ : state) {
    (*reader)->rewind();
    for (;;) {
      auto got = (*reader)->read(batch);
      if (!got) std::exit(1);
      if (*got == 0) break;
      events += *got;
      benchmark::DoNotOptimize(batch.data());
    }
  }
  state.SetItemsProcessed(static_cast<int64_t>(events));
}

void Controlled(benchmark::State& state) {
  read_run(state, false);
}
void Parallel(benchmark::State& state) {
  read_run(state, true);
}
void Encoded(benchmark::State& state) {
  read_run(state, false, true);
}

BENCHMARK(Controlled)->Arg(1000)->Arg(100'000)->Arg(2'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(Parallel)->Arg(100'000)->Unit(benchmark::kMillisecond);
BENCHMARK(Encoded)->Arg(100'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace foretell

BENCHMARK_MAIN();
