#include "analysis/driver.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <tuple>

#include "analysis/benign.h"
#include "analysis/collector.h"
#include "analysis/describer.h"
#include "analysis/recorded_order.h"
#include "analysis/witness_steps.h"
#include "base/check.h"
#include "order/judge.h"
#include "order/streaming_judge.h"

namespace foretell {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// How much of a witness people are shown.
constexpr size_t kShownSteps = 64;
// Of how many races it is found out whether the recorded run ordered them.
constexpr size_t kWatchedRaces = 256;

// What the judge said of one merged proposal.
struct Ruling {
  const ProposalGroup* group = nullptr;
  RaceProposal race;  // the pair that stands for the group
  JudgeOutcome outcome = JudgeOutcome::gave_up;
  std::optional<Witness> witness;
  std::string reason;
  std::optional<OrderWatch> watch;
};

void watch_order(std::vector<Ruling>& rulings) {
  size_t watched = 0;
  for (Ruling& ruling : rulings) {
    if (!ruling.witness || watched++ == kWatchedRaces) continue;
    ruling.watch.emplace(ruling.race.first.index, ruling.race.second.index);
  }
}

void show_events(std::vector<Ruling>& rulings, std::span<const Event> events) {
  for (Ruling& ruling : rulings) {
    if (ruling.watch) ruling.watch->on_events(events);
  }
}

class Counters final : public CounterSink {
 public:
  explicit Counters(AnalysisStats& stats) : stats_(stats) {}
  void count(std::string_view rule, uint64_t times) override {
    stats_.rules.push_back({std::string(rule), times});
  }

 private:
  AnalysisStats& stats_;
};

class Driver {
 public:
  Driver(TraceStream stream, const DriverOptions& options)
      : options_(options),
        stream_(std::move(stream)),
        benign_(stream_.tables()),
        collector_(options.every_pair, harmless_filter()) {}

  Result<AnalysisResult> run() {
    if (auto done = run_analyses(); !done) return std::unexpected(std::move(done).error());
    // Every proposal is now in a group, and nothing of the trace itself is kept.

    const bool small = stream_.raw_events() <= options_.in_memory_events;
    auto judged = small ? judge_in_memory() : judge_streaming();
    if (!judged) return std::unexpected(std::move(judged).error());
    // Every ruling that says `witness` has a checked one.

    sort_findings();
    return std::move(result_);
  }

 private:
  Result<void> run_analyses();
  Result<void> judge_in_memory();
  Result<void> judge_streaming();
  Result<void> complete_tails(std::vector<Ruling>& rulings);
  Result<void> for_each_batch(std::string_view phase, auto handle);

  ProposalCollector::Filter harmless_filter() const {
    if (benign_.empty()) return {};
    return [this](const RaceProposal& race) {
      return benign_.covers(stream_.location(race.location), race);
    };
  }

  std::vector<Ruling> open_rulings();
  void settle(Ruling& ruling, const RaceProposal& race, JudgeOutcome outcome, std::string reason);
  void want_events(const std::vector<Ruling>& rulings, EventDescriber& describer) const;
  void add_findings(std::vector<Ruling>& rulings, const EventDescriber& describer,
                    const TraceTables& tables, const EventDescriber::LocationName& location_name);
  void sort_findings();

  const DriverOptions& options_;
  TraceStream stream_;
  // A stream has seen all properties once it is open.
  const BenignRanges benign_;
  ProposalCollector collector_;
  AnalysisResult result_;
};

Result<void> Driver::for_each_batch(std::string_view phase, auto handle) {
  stream_.restart();
  for (;;) {
    auto batch = stream_.next();
    if (!batch) return std::unexpected(std::move(batch).error());
    if (batch->empty()) return {};
    handle(*batch);
    options_.progress(phase, stream_.reader().progress());
  }
}

Result<void> Driver::run_analyses() {
  const auto start = Clock::now();
  std::vector<std::unique_ptr<Analysis>> analyses;
  for (const AnalysisEntry* entry : options_.analyses) {
    const auto number = static_cast<uint32_t>(analyses.size());
    analyses.push_back(entry->make(options_.analysis, collector_.sink(number, entry->judged)));
    result_.stats.push_back({.name = entry->name});
  }
  auto timed = [&](size_t i, auto work) {
    const auto begin = Clock::now();
    work(*analyses[i]);
    result_.stats[i].seconds += seconds_since(begin);
  };
  std::vector<size_t> active(analyses.size());
  for (std::iota(active.begin(), active.end(), size_t{0}); !active.empty();) {
    auto done = for_each_batch("analyse", [&](std::span<const Event> batch) {
      for (size_t i : active) timed(i, [&](Analysis& analysis) { analysis.on_events(batch); });
    });
    if (!done) return done;
    for (size_t i : active) timed(i, [](Analysis& analysis) { analysis.finish(); });
    std::erase_if(active, [&](size_t i) { return !analyses[i]->wants_another_pass(); });
  }
  for (size_t i = 0; i < analyses.size(); ++i) {
    Counters counters(result_.stats[i]);
    analyses[i]->report_counters(counters);
    const uint64_t harmless = collector_.harmless(static_cast<uint32_t>(i));
    if (harmless > 0) counters.count("declared harmless", harmless);
  }

  result_.trace.events = stream_.raw_events();
  result_.trace.threads = stream_.tables().threads.size();
  result_.trace.locks = stream_.tables().locks.size();
  result_.trace.locations = stream_.location_count();
  result_.warnings = stream_.reader().warnings();
  if (collector_.dropped() > 0) {
    result_.warnings.push_back(
        {fmt::format("more than {} different races were proposed; {} further "
                     "proposals were not examined",
                     ProposalCollector::kMostGroups, collector_.dropped()),
         ""});
  }
  const double seconds = seconds_since(start);
  double analysing = 0;
  for (const AnalysisStats& stats : result_.stats) analysing += stats.seconds;
  result_.phases.push_back({"read and normalise", seconds - analysing});
  result_.phases.push_back({"analyse", analysing});
  return {};
}

std::vector<Ruling> Driver::open_rulings() {
  std::vector<Ruling> rulings;
  for (const ProposalGroup& group : collector_.groups()) {
    Ruling& ruling = rulings.emplace_back();
    ruling.group = &group;
    ruling.race = group.candidates.front();
    ruling.reason = "only the lock discipline was checked";
    if (group.judged_by != 0) ruling.reason.clear();
  }
  return rulings;
}

// Takes the judge's word on one candidate. A witness settles the group; it is refuted only if all
// its candidates are, and none was left out.
void Driver::settle(Ruling& ruling, const RaceProposal& race, JudgeOutcome outcome,
                    std::string reason) {
  const bool first = ruling.reason.empty();
  const bool all_seen = ruling.group->candidates.size() < ProposalCollector::kMostCandidates;
  if (outcome == JudgeOutcome::witness) {
    ruling.race = race;
    ruling.outcome = outcome;
    ruling.reason.clear();
  } else if (first) {
    ruling.outcome = all_seen ? outcome : JudgeOutcome::gave_up;
    ruling.reason = std::move(reason);
  } else if (outcome == JudgeOutcome::gave_up && ruling.outcome == JudgeOutcome::impossible) {
    ruling.race = race;
    ruling.outcome = outcome;
    ruling.reason = std::move(reason);
  }
}

Result<void> Driver::judge_in_memory() {
  if (collector_.groups().empty()) return {};
  const auto start = Clock::now();
  auto loaded = std::move(stream_).load();
  if (!loaded) return std::unexpected(std::move(loaded).error());
  const Trace& trace = *loaded;
  auto position_of = [&](const RaceProposal& race, EventIndex index) {
    auto it = std::ranges::lower_bound(trace.events, index, {}, &Event::index);
    while (it->location() != race.location) ++it;
    CHECK(it->index == index);
    return static_cast<Position>(it - trace.events.begin());
  };

  // Reorderings are interleavings. What only a weak memory order leaves unordered has no witness
  // among them, and that refutes nothing.
  const bool weak_orders = std::ranges::any_of(trace.events, [](const Event& e) {
    return is_atomic_access(e.kind) &&
           !(is_read(e.kind) ? is_acquire(e.order) : is_release(e.order));
  });
  Judge judge(trace);
  std::vector<Ruling> rulings = open_rulings();
  for (size_t i = 0; i < rulings.size(); ++i) {
    Ruling& ruling = rulings[i];
    options_.progress("judge", static_cast<double>(i) / static_cast<double>(rulings.size()));
    if (ruling.group->judged_by == 0) continue;
    for (const RaceProposal& race : ruling.group->candidates) {
      const Goal goal =
          Goal::race(position_of(race, race.first.index), position_of(race, race.second.index));
      Judgement judgement = judge.decide(goal);
      if (judgement.outcome == JudgeOutcome::impossible && weak_orders) {
        judgement.outcome = JudgeOutcome::gave_up;
        judgement.reason =
            "no interleaving brings the two together, but no memory order keeps them apart either";
      }
      settle(ruling, race, judgement.outcome, std::move(judgement.reason));
      if (judgement.outcome != JudgeOutcome::witness) continue;
      const Reordering shown = judge.minimised(goal, std::move(judgement.witness));
      const uint64_t prefix = shown.recorded > 0 ? to_index(trace.events[shown.recorded].index) : 0;
      ruling.witness = {prefix, input_steps(trace, judge.facts(), shown), {}};
      break;
    }
  }
  result_.phases.push_back({"judge", seconds_since(start)});

  const auto describing = Clock::now();
  auto location_name = [&](LocationId id) { return trace.location_name(id); };
  EventDescriber describer(trace.tables, location_name);
  want_events(rulings, describer);
  watch_order(rulings);
  describer.on_events(trace.events);
  show_events(rulings, trace.events);
  add_findings(rulings, describer, trace.tables, location_name);
  result_.phases.push_back({"describe", seconds_since(describing)});
  return {};
}

Result<void> Driver::judge_streaming() {
  if (collector_.groups().empty()) return {};
  const auto start = Clock::now();
  std::vector<Ruling> rulings = open_rulings();
  std::vector<PairQuery> queries;
  std::vector<std::pair<size_t, const RaceProposal*>> asked;  // ruling and candidate of each query
  for (size_t i = 0; i < rulings.size(); ++i) {
    if (rulings[i].group->judged_by == 0) continue;
    for (const RaceProposal& race : rulings[i].group->candidates) {
      queries.push_back({race.first.index, race.second.index, race.location});
      asked.emplace_back(i, &race);
    }
  }
  StreamingJudge judge(std::move(queries));
  auto judged =
      for_each_batch("judge", [&](std::span<const Event> batch) { judge.on_events(batch); });
  if (!judged) return judged;
  std::vector<StreamingJudgement> judgements = judge.finish();
  for (size_t q = 0; q < judgements.size(); ++q) {
    Ruling& ruling = rulings[asked[q].first];
    if (ruling.witness) continue;
    settle(ruling, *asked[q].second, judgements[q].outcome, std::move(judgements[q].reason));
    if (judgements[q].outcome == JudgeOutcome::witness) {
      ruling.witness = {to_index(judgements[q].prefix_end), std::move(judgements[q].tail), {}};
    }
  }
  if (auto done = complete_tails(rulings); !done) return done;
  result_.phases.push_back({"judge", seconds_since(start)});

  const auto describing = Clock::now();
  auto location_name = [&](LocationId id) { return stream_.location_name(id); };
  EventDescriber describer(stream_.tables(), location_name);
  want_events(rulings, describer);
  watch_order(rulings);
  auto described = for_each_batch("describe", [&](std::span<const Event> batch) {
    describer.on_events(batch);
    show_events(rulings, batch);
  });
  if (!described) return described;
  add_findings(rulings, describer, stream_.tables(), location_name);
  result_.phases.push_back({"describe", seconds_since(describing)});
  return {};
}

// The tails of streaming witnesses as steps of the input. The threads of their events and the
// folded operations between them were not kept by the judge, so the trace passes by once more.
Result<void> Driver::complete_tails(std::vector<Ruling>& rulings) {
  struct Tail {
    Witness* witness;
    std::vector<WitnessStep> steps;
    std::vector<size_t> by_index;  // of steps
    size_t next = 0;               // in by_index
  };
  std::vector<Tail> tails;
  uint64_t begin = UINT64_MAX;
  for (Ruling& ruling : rulings) {
    if (!ruling.witness) continue;
    Tail& tail = tails.emplace_back(&*ruling.witness);
    begin = std::min(begin, ruling.witness->prefix_end);
    for (EventIndex index : ruling.witness->steps) {
      tail.by_index.push_back(tail.steps.size());
      tail.steps.push_back({index, {}});
    }
    std::ranges::sort(tail.by_index, {}, [&](size_t i) { return tail.steps[i].index; });
  }
  if (tails.empty()) return {};

  std::vector<Event> folded;
  stream_.collect_folded(&folded);
  auto done = for_each_batch("judge", [&](std::span<const Event> batch) {
    if (!folded.empty() && to_index(folded.back().index) < begin) folded.clear();
    for (Tail& tail : tails) {
      for (const Event& e : batch) {
        while (tail.next < tail.by_index.size()) {
          WitnessStep& step = tail.steps[tail.by_index[tail.next]];
          if (step.index != e.index) break;
          step.thread = e.thread;
          ++tail.next;
        }
      }
    }
  });
  stream_.collect_folded(nullptr);
  if (!done) return done;
  for (Tail& tail : tails) {
    tail.witness->steps = input_steps(tail.steps, folded, EventIndex{tail.witness->prefix_end});
  }
  return {};
}

std::span<const EventIndex> last_steps(const Witness& witness) {
  std::span<const EventIndex> steps = witness.steps;
  return steps.last(std::min(steps.size(), kShownSteps));
}

void Driver::want_events(const std::vector<Ruling>& rulings, EventDescriber& describer) const {
  for (const Ruling& ruling : rulings) {
    describer.want(ruling.race.first.index);
    describer.want(ruling.race.second.index);
    if (!ruling.witness) continue;
    for (EventIndex index : last_steps(*ruling.witness)) describer.want(index);
  }
}

void Driver::add_findings(std::vector<Ruling>& rulings, const EventDescriber& describer,
                          const TraceTables& tables,
                          const EventDescriber::LocationName& location_name) {
  for (Ruling& ruling : rulings) {
    const bool refuted = ruling.group->judged_by != 0 && ruling.outcome == JudgeOutcome::impossible;
    Finding& finding = (refuted ? result_.dismissed : result_.findings).emplace_back();
    finding.verdict = ruling.witness ? Verdict::predicted : Verdict::possible;
    for (size_t i = 0; i < options_.analyses.size(); ++i) {
      if (ruling.group->analyses >> i & 1) finding.analyses.push_back(options_.analyses[i]->name);
    }
    finding.location = location_name(ruling.race.location);
    finding.events = {describer[ruling.race.first.index], describer[ruling.race.second.index]};
    finding.reason = std::move(ruling.reason);
    finding.occurrences = ruling.group->proposals;
    if (ruling.watch) finding.recorded = ruling.watch->result(tables);
    if (!ruling.witness) continue;
    finding.witness = std::move(ruling.witness);
    for (EventIndex index : last_steps(*finding.witness)) {
      finding.witness->last_steps.push_back(describer[index]);
    }
  }
}

void Driver::sort_findings() {
  auto key = [](const Finding& f) {
    return std::tuple(f.verdict, f.events[1].index, f.events[0].index, f.location);
  };
  std::ranges::sort(result_.findings, {}, key);
  std::ranges::sort(result_.dismissed, {}, key);
  size_t number = 0;
  for (Finding& f : result_.findings) f.id = fmt::format("{}-{}", word_of(f.kind), ++number);
  for (Finding& f : result_.dismissed) f.id = fmt::format("{}-{}", word_of(f.kind), ++number);
}

}  // namespace

Result<AnalysisResult> analyze(TraceStream stream, const DriverOptions& options) {
  return Driver(std::move(stream), options).run();
}

}  // namespace foretell
