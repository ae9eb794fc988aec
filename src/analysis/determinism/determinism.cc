#include "analysis/determinism/determinism.h"

#include <algorithm>
#include <ctime>

#include "analysis/determinism/exact/nondeterminism.h"
#include "analysis/determinism/final_reads.h"

namespace foretell {
namespace {

using Clock = std::chrono::steady_clock;

class Examination {
 public:
  Examination(const Trace& trace, const DeterminismOptions& options)
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

  template <class Work>
  static double seconds_of(Work&& work) {
    const std::clock_t start = std::clock();
    work();
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  }

  bool is_over() const { return options_.deadline && Clock::now() >= *options_.deadline; }

  template <class Examine>
  void for_each_read(Examine&& examine) {
    if (!options_.reads) return;
    for (Position p = 0; p < facts_.size(); ++p) {
      const Event& e = facts_.event(p);
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

  void add(Position read, LocationId location, Position recorded, std::vector<SeenWrite> others) {
    if (others.empty()) return;
    const std::optional<uint64_t> value = read != kNoPosition
                                              ? ReadValues::returned(facts_.event(read))
                                              : values_.from(location, recorded);
    const bool harmless = value && std::ranges::all_of(others, [&](const SeenWrite& other) {
                            return values_.from(location, other.writer) == value;
                          });
    result_.reads.push_back({read, location, recorded, std::move(others), harmless});
  }

  void examine_exactly() {
    ReadViews views(judge_);
    for_each_read([&](Position read) {
      ReadView view = views.of(read);
      add(read, facts_.event(read).location(), view.recorded, std::move(view.others));
    });
    result_.views = views.counts();
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

  void examine_final_reads(std::span<const LocationId> locations) {
    if (is_over()) {
      result_.not_examined += locations.size();
      return;
    }
    const FinalReads final = add_final_reads(trace_, locations);
    JudgeOptions judge_options = options_.judge;
    judge_options.exact_up_to += final.trace.events.size() - trace_.events.size();
    const Judge judge(final.trace, judge_options);
    ReadViews views(judge);
    for_each_location(locations, [&](size_t i) {
      ReadView view = views.of(final.reads[i]);
      add(kNoPosition, locations[i], view.recorded, std::move(view.others));
    });
    ViewCounts& counts = result_.views;
    const ViewCounts& more = views.counts();
    counts.reads += more.reads;
    counts.triplets += more.triplets;
    counts.ordered += more.ordered;
    counts.prefix += more.prefix;
    counts.run += more.run;
    counts.judged_possible += more.judged_possible;
    counts.judged_impossible += more.judged_impossible;
    counts.gave_up += more.gave_up;
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
                    [&](Position read, LocationId location, Position recorded,
                        std::span<const WitnessGraph::Decided> decided) {
                      add(read, location, recorded, seen_writes(decided));
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
    for_each_read([&](Position read) {
      const LocationId location = facts_.event(read).location();
      if (!shared[to_index(location)]) return;
      take(read, location, facts_.partner[read], graph.decide_read(read));
    });
    if (!options_.final_state) return;
    count_locations();
    for_each_location(locations_, [&](size_t i) {
      if (!shared[to_index(locations_[i])]) return;
      take(kNoPosition, locations_[i], facts_.writes_of(locations_[i]).back(),
           graph.decide_final(locations_[i]));
    });
  }

  // Each challenger once.
  static std::vector<SeenWrite> seen_writes(std::span<const WitnessGraph::Decided> decided) {
    std::vector<SeenWrite> writes;
    for (const auto& [order, challengers, fate] : decided) {
      const auto outcome =
          fate == WitnessFate::gave_up ? JudgeOutcome::gave_up : JudgeOutcome::witness;
      for (Position c : challengers) writes.push_back({c, outcome});
    }
    // Witnesses come before what was given up.
    std::ranges::sort(writes, {},
                      [](const SeenWrite& w) { return std::pair(w.writer, w.outcome); });
    const auto rest = std::ranges::unique(writes, {}, &SeenWrite::writer);
    writes.erase(rest.begin(), rest.end());
    return writes;
  }

  const Trace& trace_;
  const DeterminismOptions& options_;
  const Judge judge_;
  const TraceFacts& facts_;
  const ReadValues values_;
  std::vector<LocationId> locations_;
  DeterminismResult result_;
};

}  // namespace

std::vector<bool> shared_locations(const Trace& trace) {
  std::vector<bool> shared;
  std::vector<std::optional<ThreadId>> user;
  for (const Event& e : trace.events) {
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

DeterminismResult examine_determinism(const Trace& trace, const DeterminismOptions& options) {
  return Examination(trace, options).run();
}

}  // namespace foretell
