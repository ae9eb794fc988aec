// SPDX-License-Identifier: Apache-2.0

#include "analysis/determinism/determinism.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <memory>
#include <mutex>

#include "analysis/determinism/exact/nondeterminism.h"
#include "analysis/determinism/final_reads.h"
#include "base/parallel.h"

namespace foretell::analysis {
namespace {

using Clock = std::chrono::steady_clock;

class Examination {
 public:
  Examination(const trace::Trace& trace, const DeterminismOptions& options)
      : trace_(trace),
        options_(options),
        judge_(trace, options.judge),
        facts_(judge_.facts()),
        values_(facts_) {}

  DeterminismResult run() {
    const bool is_paper = options_.mode == DeterminismOptions::Mode::paper;
    result_.seconds = seconds_of([&] { is_paper ? examine_by_graph() : examine_exactly(); });
    if (is_paper && options_.choices) {
      result_.counting_seconds = seconds_of([&] { count_choices(); });
    }
    return std::move(result_);
  }

 private:
  // How many final reads are asked about in one extended trace: each is a thread of it.
  static constexpr size_t kFinalReads = 64;
  static constexpr size_t kReadsAtATime = 256;
  // What the judge may spend, in events that have to happen; the whole of it is a minute or two.
  static constexpr uint64_t kEffort = uint64_t{1} << 27, kLeastEffort = 1 << 14;

  template <class Work>
  static double seconds_of(Work&& work) {
    const std::clock_t start = std::clock();
    work();
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  }

  bool is_over() const {
    return (options_.stop != nullptr && *options_.stop) ||
           (options_.deadline && Clock::now() >= *options_.deadline);
  }

  template <class Examine>
  void for_each_read(Examine&& examine) {
    if (!options_.reads) return;
    for (judge::Position p = 0; p < facts_.size(); ++p) {
      const trace::Event& e = facts_.event(p);
      if (!is_read(e.kind) || !options_.is_wanted(e)) continue;
      if (e.is_ambiguous() || is_over()) {
        ++result_.not_examined;
        continue;
      }
      options_.progress("reads", static_cast<double>(p) / static_cast<double>(facts_.size()));
      ++result_.examined;
      examine(p);
    }
  }

  template <class Examine>
  void for_each_location(std::span<const LocationId> locations, Examine&& examine) {
    for (size_t i = 0; i < locations.size(); ++i) {
      if (is_over()) {
        ++result_.not_examined;
        continue;
      }
      options_.progress("final state",
                        static_cast<double>(i) / static_cast<double>(locations.size()));
      examine(i);
    }
  }

  void add(judge::Position read, LocationId location, judge::Position recorded,
           std::vector<OtherWrite> others) {
    if (others.empty()) return;
    const std::optional<uint64_t> value = read != judge::kNoPosition
                                              ? ReadValues::returned(facts_.event(read))
                                              : values_.from(location, recorded);
    const bool harmless = value && std::ranges::all_of(others, [&](const OtherWrite& other) {
                            return values_.from(location, other.writer) == value;
                          });
    result_.reads.push_back({read, location, recorded, std::move(others), harmless});
  }

  void examine_exactly() {
    if (options_.reads) examine_reads_exactly();
    if (!options_.final_state) return;
    std::vector<LocationId> open = open_final_states(facts_);
    std::erase_if(open, [&](LocationId id) { return !options_.is_wanted_at_end(id); });
    count_locations();
    for (size_t begin = 0; begin < open.size(); begin += kFinalReads) {
      const std::span asked =
          std::span(open).subspan(begin, std::min(kFinalReads, open.size() - begin));
      examine_final_reads(asked);
    }
  }

  // Reads are independent of each other: a few at a time, on all cores. What each of these parts
  // may spend does not depend on the others, so the answer is always the same, if there is time.
  void examine_reads_exactly() {
    std::vector<judge::Position> reads;
    for (judge::Position p = 0; p < facts_.size(); ++p) {
      const trace::Event& e = facts_.event(p);
      if (!is_read(e.kind) || !options_.is_wanted(e)) continue;
      if (e.is_ambiguous()) {
        ++result_.not_examined;
      } else {
        reads.push_back(p);
      }
    }
    const auto writes = std::make_shared<const WritesByThread>(facts_);
    tbb::enumerable_thread_specific<ReadViews> views([&] { return ReadViews(judge_, writes, 0); });
    const size_t parts = (reads.size() + kReadsAtATime - 1) / kReadsAtATime;
    std::vector<std::vector<ReadView>> seen(parts);
    std::atomic<uint64_t> examined = 0;
    std::mutex one;
    parallel_for(parts, 0, [&](size_t part) {
      {
        const std::lock_guard lock(one);
        options_.progress("reads",
                          static_cast<double>(examined) / static_cast<double>(reads.size()));
      }
      ReadViews& mine = views.local();
      mine.fill_pot(std::max(kLeastEffort, kEffort / parts));
      const size_t begin = part * kReadsAtATime;
      for (judge::Position read :
           std::span(reads).subspan(begin, std::min(kReadsAtATime, reads.size() - begin))) {
        if (is_over()) break;
        ReadView view = mine.of(read, [](judge::Position) { return true; });
        if (!view.others.empty()) seen[part].push_back(std::move(view));
        ++examined;
      }
    });
    for (std::vector<ReadView>& some : seen) {
      for (ReadView& view : some) {
        add(view.read, facts_.event(view.read).location(), view.recorded,
            other_writes(view.others));
      }
      some = {};
    }
    for (const ReadViews& mine : views) result_.views += mine.counts();
    result_.examined = examined;
    result_.not_examined += reads.size() - examined;
  }

  void examine_final_reads(std::span<const LocationId> locations) {
    if (is_over()) {
      result_.not_examined += locations.size();
      return;
    }
    const FinalReads final = add_final_reads(trace_, locations);
    judge::JudgeOptions judge_options = options_.judge;
    judge_options.exact_up_to += final.trace.events.size() - trace_.events.size();
    const judge::Judge judge(final.trace, judge_options);
    ReadViews views(judge, kEffort);
    for_each_location(locations, [&](size_t i) {
      ReadView view = views.of(final.reads[i]);
      add(judge::kNoPosition, locations[i], view.recorded, other_writes(view.others));
    });
    result_.views += views.counts();
  }

  void count_locations() {
    for (uint32_t i = 0; i < facts_.location_count(); ++i) {
      const LocationId location{i};
      const bool written = !facts_.writes_of(location).empty();
      const bool freed = facts_.frees_of.contains(location);
      if (written && !freed && options_.is_wanted_at_end(location)) locations_.push_back(location);
    }
    result_.examined_at_end = locations_.size();
  }

  void examine_by_graph() {
    const std::vector<bool> shared = shared_locations(trace_);
    WitnessGraph graph(facts_);
    decide_by_graph(graph, shared,
                    [&](judge::Position read, LocationId location, judge::Position recorded,
                        std::span<const WitnessGraph::Decided> decided) {
                      add(read, location, recorded, other_writes(decided));
                    });
    result_.witnesses = graph.counts();
  }

  // What the table has besides the verdicts.
  void count_choices() {
    const std::vector<bool> shared = shared_locations(trace_);
    DeterminismResult verdicts = std::exchange(result_, {});
    locations_.clear();
    WitnessGraph graph(facts_, WitnessGraph::Detail::choices);
    decide_by_graph(graph, shared, [](auto...) {});
    verdicts.choices = graph.counts();
    verdicts.not_counted = result_.not_examined;
    result_ = std::move(verdicts);
  }

  template <class Take>
  void decide_by_graph(WitnessGraph& graph, const std::vector<bool>& shared, Take&& take) {
    for_each_read([&](judge::Position read) {
      const LocationId location = facts_.event(read).location();
      if (!shared[to_index(location)]) return;
      take(read, location, facts_.partner[read], graph.decide_read(read));
    });
    if (!options_.final_state) return;
    count_locations();
    for_each_location(locations_, [&](size_t i) {
      if (!shared[to_index(locations_[i])]) return;
      take(judge::kNoPosition, locations_[i], facts_.writes_of(locations_[i]).back(),
           graph.decide_final(locations_[i]));
    });
  }

  static std::vector<OtherWrite> other_writes(std::span<const SeenWrite> seen) {
    std::vector<OtherWrite> writes;
    for (const SeenWrite& write : seen) writes.push_back({write.writer, write.outcome, {}});
    return writes;
  }

  // Each challenger once, with the orders in which it is seen.
  static std::vector<OtherWrite> other_writes(std::span<const WitnessGraph::Decided> decided) {
    std::vector<OtherWrite> writes;
    for (const auto& [order, challengers, fate] : decided) {
      OtherWrite write;
      if (fate != WitnessFate::gave_up) {
        write.outcome = judge::JudgeOutcome::witness;
        write.orders.add(order);
      }
      for (judge::Position c : challengers) {
        write.writer = c;
        writes.push_back(write);
      }
    }
    std::ranges::sort(writes, {}, &OtherWrite::writer);
    size_t kept = 0;
    for (const OtherWrite& write : writes) {
      if (kept > 0 && writes[kept - 1].writer == write.writer) {
        writes[kept - 1].add(write);
      } else {
        writes[kept++] = write;
      }
    }
    writes.resize(kept);
    return writes;
  }

  const trace::Trace& trace_;
  const DeterminismOptions& options_;
  const judge::Judge judge_;
  const judge::TraceFacts& facts_;
  const ReadValues values_;
  std::vector<LocationId> locations_;
  DeterminismResult result_;
};

}  // namespace

std::vector<bool> shared_locations(const trace::Trace& trace) {
  std::vector<bool> shared;
  std::vector<std::optional<ThreadId>> user;
  for (const trace::Event& e : trace.events) {
    if (!is_access(e.kind)) continue;
    const size_t i = to_index(e.location());
    if (i >= user.size()) {
      user.resize(i + 1);
      shared.resize(i + 1);
    }
    if (user[i] && *user[i] != e.thread) shared[i] = true;
    user[i] = e.thread;
  }
  return shared;
}

DeterminismResult examine_determinism(const trace::Trace& trace,
                                      const DeterminismOptions& options) {
  return Examination(trace, options).run();
}

}  // namespace foretell::analysis
