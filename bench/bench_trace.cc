// Speed and size of the trace formats on synthetic traces of ordinary shape.
//
//   build/release/bin/bench_trace [--benchmark_filter=Read]
//
// items_per_second is events per second; bytes_per_event is the whole file, definitions and index
// included.
#include <benchmark/benchmark.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "trace/ftrace/ftrace_reader.h"
#include "trace/ftrace/ftrace_writer.h"
#include "trace/reader.h"
#include "trace/synthetic/synthetic.h"

namespace foretell {
namespace {

constexpr uint64_t kEvents = 4'000'000;

// Shapes of traces, by what makes them harder than the default.
enum Shape : int64_t { ordinary, with_values, many_threads, short_runs, big_heap };

trace::SyntheticOptions options_of(int64_t shape) {
  trace::SyntheticOptions options{.events = kEvents};
  switch (shape) {
    case ordinary:
      break;
    case with_values:
      options.values = true;
      options.atomics = 30;
      break;
    case many_threads:
      options.threads = 1000;
      break;
    case short_runs:
      options.quantum = 3;
      break;
    case big_heap:
      options.locations = 2'000'000;
      options.sites = 20'000;
      break;
  }
  return options;
}

const char* name_of(int64_t shape) {
  constexpr const char* kNames[] = {"ordinary", "values+atomics", "1000 threads", "short runs",
                                    "2M locations, 20k sites"};
  return kNames[shape];
}

template <class T>
T must(Result<T> result) {
  if (!result) {
    std::fputs(result.error().to_text().c_str(), stderr);
    std::exit(static_cast<int>(result.error().exit_code));
  }
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

struct Recorded {
  std::unique_ptr<trace::SyntheticTrace> source;
  std::vector<trace::Event> events;
};

Recorded record(int64_t shape) {
  Recorded recorded{must(trace::SyntheticTrace::create(options_of(shape))),
                    std::vector<trace::Event>(kEvents)};
  recorded.source->next(recorded.events);
  return recorded;
}

// A file in memory that /proc can open again.
class MemoryFile {
 public:
  MemoryFile() : fd_(::memfd_create("bench", 0)) {}
  ~MemoryFile() { ::close(fd_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

uint64_t write_all(const Recorded& recorded, const std::string& path) {
  auto writer = must(trace::FtraceWriter::create(path));
  must(writer->write(recorded.events, recorded.source->tables()));
  must(writer->close());
  return writer->byte_count();
}

void Generate(benchmark::State& state) {
  std::vector<trace::Event> batch(trace::kBatchSize);
  for (auto _ : state) {
    auto source = must(trace::SyntheticTrace::create(options_of(state.range(0))));
    while (source->next(batch) > 0) benchmark::DoNotOptimize(batch.data());
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * kEvents));
  state.SetLabel(name_of(state.range(0)));
}

void Write(benchmark::State& state) {
  const Recorded recorded = record(state.range(0));
  uint64_t size = 0;
  for (auto _ : state) {
    MemoryFile file;
    size = write_all(recorded, file.path());
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * kEvents));
  state.counters["bytes_per_event"] = static_cast<double>(size) / kEvents;
  state.SetLabel(name_of(state.range(0)));
}

// Decompression and decoding alone; Open has the definitions.
void Read(benchmark::State& state) {
  MemoryFile file;
  const uint64_t size = write_all(record(state.range(0)), file.path());
  std::vector<trace::Event> batch(trace::kBatchSize);
  auto reader = must(trace::make_ftrace_reader(must(InputFile::open(file.path()))));
  for (auto _ : state) {
    reader->rewind();
    while (must(reader->read(batch)) > 0) benchmark::DoNotOptimize(batch.data());
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * kEvents));
  state.counters["bytes_per_event"] = static_cast<double>(size) / kEvents;
  state.SetLabel(name_of(state.range(0)));
}

// Items are rows of the location table.
void Open(benchmark::State& state) {
  MemoryFile file;
  write_all(record(state.range(0)), file.path());
  size_t rows = 0;
  for (auto _ : state) {
    auto reader = must(trace::make_ftrace_reader(must(InputFile::open(file.path()))));
    rows += reader->tables().locations.size();
  }
  state.SetItemsProcessed(static_cast<int64_t>(rows));
  state.SetLabel(name_of(state.range(0)));
}

BENCHMARK(Generate)->DenseRange(ordinary, big_heap)->Unit(benchmark::kMillisecond);
BENCHMARK(Write)->DenseRange(ordinary, big_heap)->Unit(benchmark::kMillisecond);
BENCHMARK(Read)->DenseRange(ordinary, big_heap)->Unit(benchmark::kMillisecond);
BENCHMARK(Open)->DenseRange(ordinary, big_heap)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace foretell

BENCHMARK_MAIN();
