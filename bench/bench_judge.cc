// bench_judge: what the judge needs for one proposed pair of a long trace.
//
//   build/release/bin/bench_judge --events=1000000 --threads=16 --pairs=1000
//
// The pairs are clashing accesses of the synthetic trace without a common lock, each access with
// the latest one of another thread that clashes with it, in two classes:
//   unordered  happens-before does not order them: what the happens-before family proposes
//   ordered    it does, as in the pairs that the predictive analyses (CP, WCP, ...) propose
// Times are CPU time of the asking thread, so that a loaded machine does not count.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "clocks/sync_clocks.h"
#include "judge/judge.h"
#include "trace/synthetic/synthetic.h"
#include "trace/trace.h"

namespace foretell {
namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Pair {
  judge::Position first, second;
};

// The pairs of both classes, in trace order.
class PairFinder {
 public:
  explicit PairFinder(const judge::TraceFacts& facts)
      : facts_(facts), latest_(facts.location_count()), epoch_(facts.size()) {
    for (judge::Position p = 0; p < facts.size(); ++p) on_event(p);
  }

  std::vector<Pair> unordered, ordered;

 private:
  struct Latest {
    std::vector<judge::Position> reads, writes;  // the last of each thread
  };

  void on_event(judge::Position p) {
    const trace::Event& e = facts_.event(p);
    if (!is_access(e.kind)) {
      clocks_.on_event(e);
      return;
    }
    clocks_.before_access(e);
    epoch_[p] = clocks_.epoch(e.thread);
    Latest& latest = latest_[to_index(e.location())];
    for (const std::vector<judge::Position>* accesses : {&latest.reads, &latest.writes}) {
      judge::Position last = judge::kNoPosition;
      for (judge::Position q : *accesses) {
        if (clash(facts_.event(q), e) && (last == judge::kNoPosition || q > last)) last = q;
      }
      if (last != judge::kNoPosition && !common_lock(last, p)) {
        const bool is_ordered = clocks_.clock(e.thread).contains(epoch_[last]);
        (is_ordered ? ordered : unordered).push_back({last, p});
      }
    }
    std::vector<judge::Position>& mine = is_write(e.kind) ? latest.writes : latest.reads;
    std::erase_if(mine, [&](judge::Position q) { return facts_.event(q).thread == e.thread; });
    mine.push_back(p);
    clocks_.after_access(e);
  }

  bool common_lock(judge::Position a, judge::Position b) const {
    for (judge::Position x : facts_.locks.open_sections(facts_.thread_index(a), facts_.step[a])) {
      for (judge::Position y : facts_.locks.open_sections(facts_.thread_index(b), facts_.step[b])) {
        if (facts_.event(x).lock() == facts_.event(y).lock()) return true;
      }
    }
    return false;
  }

  const judge::TraceFacts& facts_;
  clocks::SyncClocks clocks_;
  std::vector<Latest> latest_;        // by location
  std::vector<clocks::Epoch> epoch_;  // by access
};

const char* word_of(judge::JudgeOutcome outcome) {
  switch (outcome) {
    case judge::JudgeOutcome::witness:
      return "witness";
    case judge::JudgeOutcome::impossible:
      return "impossible";
    case judge::JudgeOutcome::gave_up:
      return "gave up";
  }
  return "";
}

void judge_pairs(const char* name, const judge::Judge& judge, std::vector<Pair> pairs,
                 size_t most) {
  const size_t found = pairs.size();
  if (found > most) {
    for (size_t i = 0; i < most; ++i) pairs[i] = pairs[i * found / most];
    pairs.resize(most);
  }
  if (pairs.empty()) {
    fmt::print("{}: no pairs\n", name);
    return;
  }
  std::vector<double> times, distances;
  std::map<std::string, std::vector<double>> by_answer;
  for (const Pair& pair : pairs) {
    const double start = cpu_seconds();
    const judge::Judgement judgement = judge.race(pair.first, pair.second);
    const double time = (cpu_seconds() - start) * 1e6;
    times.push_back(time);
    distances.push_back(pair.second - pair.first);
    by_answer[fmt::format("{} by step {}", word_of(judgement.outcome),
                          static_cast<int>(judgement.step))]
        .push_back(time);
  }
  auto at = [](std::vector<double>& values, double part) {
    std::ranges::sort(values);
    const auto last = static_cast<double>(values.size() - 1);
    return values[static_cast<size_t>(last * part)];
  };
  fmt::print("{}: {} of {} pairs, median distance {:.0f} events\n", name, pairs.size(), found,
             at(distances, 0.5));
  fmt::print("  {:30} {:>6}  median {:>9.1f} us   99 % {:>10.1f} us   max {:>10.1f} us\n", "all",
             times.size(), at(times, 0.5), at(times, 0.99), at(times, 1));
  for (auto& [answer, values] : by_answer) {
    fmt::print("  {:30} {:>6}  median {:>9.1f} us   99 % {:>10.1f} us   max {:>10.1f} us\n", answer,
               values.size(), at(values, 0.5), at(values, 0.99), at(values, 1));
  }
}

Result<void> run(const trace::SyntheticOptions& options, size_t most_pairs) {
  trace::Trace raw;
  auto generated = generate_synthetic(
      options, [&](std::span<const trace::Event> events, const trace::TraceTables&) {
        raw.events.insert(raw.events.end(), events.begin(), events.end());
        return Result<void>{};
      });
  if (!generated) return generated;
  FORETELL_TRY(source, trace::SyntheticTrace::create(options));
  raw.tables = source->tables();
  FORETELL_TRY(trace, normalize(std::move(raw)));
  const double start = cpu_seconds();
  const judge::Judge judge(trace);
  fmt::print("facts of {} events: {:.0f} ms\n", trace.events.size(), (cpu_seconds() - start) * 1e3);
  PairFinder finder(judge.facts());
  judge_pairs("unordered", judge, std::move(finder.unordered), most_pairs);
  judge_pairs("ordered", judge, std::move(finder.ordered), most_pairs);
  return {};
}

}  // namespace
}  // namespace foretell

int main(int argc, char** argv) {
  using namespace foretell;
  trace::SyntheticOptions options;
  options.events = 1'000'000;
  options.threads = 16;
  options.nesting = 3;
  options.locations = 10'000;
  options.racy_weight = 2;
  size_t pairs = 1000;
  CLI::App app("CPU time of the judge per proposed pair.");
  auto add = [&](const char* name, auto& field, const char* text) {
    app.add_option(name, field, text)->capture_default_str();
  };
  add("--events", options.events, "number of events");
  add("--threads", options.threads, "threads, with the main one");
  add("--locks", options.locks, "locks");
  add("--nesting", options.nesting, "locks held at once, at most");
  add("--locations", options.locations, "memory locations");
  add("--racy", options.racy_weight, "weight of unprotected accesses");
  add("--seed", options.seed, "seed of all random choices");
  add("--pairs", pairs, "pairs of each class, at most");
  CLI11_PARSE(app, argc, argv);
  const auto done = run(options, pairs);
  if (done) return 0;
  std::fputs(done.error().to_text().c_str(), stderr);
  return static_cast<int>(done.error().exit_code);
}
