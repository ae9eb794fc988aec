// SPDX-License-Identifier: Apache-2.0

#include "pipeline/driver.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <set>
#include <tuple>

#include "analysis/atomicity/function_choice.h"
#include "analysis/atomicity/inference/inference.h"
#include "base/parallel.h"
#include "clocks/contended_cells.h"
#include "pipeline/benign.h"
#include "pipeline/buffered_sink.h"
#include "pipeline/collector.h"
#include "pipeline/described_details.h"
#include "pipeline/described_order.h"
#include "pipeline/explained_by_races.h"
#include "pipeline/judging.h"
#include "pipeline/needed_analyses.h"
#include "pipeline/refutation.h"
#include "pipeline/trials.h"
#include "pipeline/value_races.h"

namespace foretell::pipeline {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// How much of a witness people are shown.
constexpr size_t kShownSteps = 64;
// C++20 [intro.races], paragraph 21.
constexpr std::string_view kUnorderedReason =
    "both accesses are in the recorded run and neither happens before the other: a data race, "
    "whose behavior is undefined. No interleaving brings the two together, so there is none to "
    "replay";
constexpr auto kInterruptGrace = std::chrono::seconds(5);     // for judging
constexpr auto kInterruptPatience = std::chrono::seconds(2);  // for last steps of analyses

class Counters final : public analysis::CounterSink {
 public:
  Counters(finding::AnalysisStats& stats, std::vector<Diagnostic>& notes)
      : stats_(stats), notes_(notes) {}
  void count(std::string_view rule, uint64_t times) override {
    stats_.rules.push_back({std::string(rule), times});
  }
  void note(std::string sentence) override { notes_.push_back({std::move(sentence), ""}); }
  void left_out(std::string_view what) override {
    notes_.push_back({fmt::format("{} did not look at {}", stats_.name, what), ""});
  }

 private:
  finding::AnalysisStats& stats_;
  std::vector<Diagnostic>& notes_;
};

// Some batches of a pass, for several analyses at once.
class Batches {
 public:
  void add(std::span<const trace::Event> batch) {
    events_.insert(events_.end(), batch.begin(), batch.end());
    ends_.push_back(events_.size());
  }
  // Enough work that starting threads for it costs nothing.
  bool is_full() const { return events_.size() >= size_t{1} << 16; }
  void for_each(
      const std::function<void(size_t number, std::span<const trace::Event>)>& handle) const {
    size_t begin = 0;
    for (size_t i = 0; i < ends_.size(); begin = ends_[i++]) {
      handle(i, std::span(events_).first(ends_[i]).subspan(begin));
    }
  }
  void clear() {
    events_.clear();
    ends_.clear();
  }

 private:
  std::vector<trace::Event> events_;
  std::vector<size_t> ends_;
};

// The analysis whose races of reads that may see other writes are looked for, too.
constexpr std::string_view kPredictable = "predictable";
// The analysis that knows of the code what no judge does.
constexpr std::string_view kSliced = "sliced";

class Driver {
 public:
  Driver(trace::TraceStream stream, const DriverOptions& options)
      : options_(options),
        stream_(std::move(stream)),
        benign_(stream_.tables()),
        atomic_functions_(options.atomic.all_functions || options.infer_atomic,
                          options.atomic.functions),
        collector_(options.every_pair, harmless_filter()) {
    judging_.judge = options.judge;
    judging_.jobs = options.jobs;
    judging_.excerpt_events = options.excerpt_events;
    judging_.stop = options.stop;
    judging_.progress = options.progress;
    if (options.budget) judging_.deadline = Clock::now() + *options.budget;
    // One pass that may find nothing is no reason to hold the trace.
    const bool has_more_passes =
        options.infer_atomic ||
        !std::ranges::all_of(options.analyses, [](const auto* entry) { return entry->online; });
    if (has_more_passes) stream_.keep(options.in_memory_events);
  }

  Result<finding::AnalysisResult> run() {
    if (auto done = leave_out_uncontended(); !done) return std::unexpected(std::move(done).error());
    if (auto done = run_analyses(); !done) return std::unexpected(std::move(done).error());
    // Every proposal is now in a group, and nothing of the trace itself is kept.

    settle_reads();
    if (auto done = propose_value_races(); !done) return std::unexpected(std::move(done).error());
    std::vector<Ruling> rulings = open_rulings(collector_.groups());
    const bool small =
        stream_.is_kept() || (!contended_ && stream_.raw_events() <= options_.in_memory_events);
    const bool has_trials = options_.trials && small;
    if (!rulings.empty() || has_trials) {
      auto judged = small ? judge_in_memory(rulings) : judge_excerpts(rulings);
      if (!judged) return std::unexpected(std::move(judged).error());
    }
    // Every ruling that says `witness` has a checked one, and the findings are described.

    result_.conversions = stream_.conversions();
    warn_of_unexamined(rulings);
    drop_explained(options_.analyses, result_.findings);
    sort_findings();
    analysis::AtomicInference::drop_violated(result_.findings, result_.inferred);
    return std::move(result_);
  }

 private:
  bool wants_contended_only() const;
  Result<void> leave_out_uncontended();
  Result<void> run_analyses();
  void settle_reads();
  Result<void> propose_value_races();
  void keep_sliced(std::vector<Ruling>& rulings) const;
  bool is_only_by_value(const Ruling& ruling) const {
    return ruling.group->analyses == 1u << options_.analyses.size();
  }
  Result<void> judge_in_memory(std::vector<Ruling>& rulings);
  Result<void> judge_excerpts(std::vector<Ruling>& rulings);

  ProposalCollector::Filter harmless_filter() const {
    if (benign_.empty()) return {};
    return [this](const finding::Proposal& race) {
      return benign_.covers(stream_.location(race.location), race);
    };
  }

  std::vector<Trial> find_trials_in(const trace::Trace& trace, const std::vector<Ruling>& rulings);
  static void want_trial(const Trial& trial, EventDescriber& describer);
  void add_trial(const Trial& trial, const EventDescriber& describer,
                 const trace::TraceTables& tables,
                 const EventDescriber::LocationName& location_name);
  void want_events(const std::vector<Ruling>& rulings, EventDescriber& describer) const;
  void add_findings(std::vector<Ruling>& rulings, const EventDescriber& describer,
                    const trace::TraceTables& tables,
                    const EventDescriber::LocationName& location_name);
  void warn(std::string message, ExitCode exit_code = ExitCode::bad_input);
  void warn_of_unexamined(const std::vector<Ruling>& rulings);
  std::string names_of(const std::vector<size_t>& analyses) const {
    std::string names;
    for (size_t i : analyses)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", options_.analyses[i]->name);
    return names;
  }
  std::string_view why_over() const {
    return options_.stop != nullptr && *options_.stop ? "interrupted" : "the budget was used up";
  }
  void sort_findings();

  const DriverOptions& options_;
  JudgingOptions judging_;
  trace::TraceStream stream_;
  // A stream has seen all facts of its run once it is open.
  const BenignRanges benign_;
  analysis::FunctionChoice atomic_functions_;
  ProposalCollector collector_;
  std::unique_ptr<clocks::ContendedCells> contended_;  // null: nothing is left out
  finding::AnalysisResult result_;
};

bool Driver::wants_contended_only() const {
  // Functions as blocks are found by the analyses, too late to keep what happens in them.
  if (options_.infer_atomic || !atomic_functions_.is_empty()) return false;
  return options_.contended_only == ContendedOnly::always ||
         stream_.reader().event_count().value_or(0) > options_.in_memory_events;
}

Result<void> Driver::leave_out_uncontended() {
  if (!wants_contended_only()) return {};
  const auto start = Clock::now();
  stream_.keep(options_.in_memory_events);
  auto cells = std::make_unique<clocks::ContendedCells>(
      [this](LocationId id) { return stream_.allocation_of(id); });
  auto done = for_each_batch(stream_, "find contended locations", options_.progress,
                             [&](std::span<const trace::Event> batch) {
                               cells->on_events(batch);
                               return !judging_.is_over();
                             });
  if (!done) return done;
  // Of a part of the trace nobody knows which locations the rest would contend for.
  if (judging_.is_over()) return {};
  cells->finish();
  contended_ = std::move(cells);
  stream_.leave_out([this](const trace::Event& e) { return contended_->leaves_out(e); });
  result_.phases.push_back({"find contended locations", seconds_since(start)});
  return {};
}

Result<void> Driver::run_analyses() {
  const auto start = Clock::now();
  std::vector<std::unique_ptr<analysis::Analysis>> analyses;
  analysis::AnalysisOptions analysis_options = options_.analysis;
  analysis_options.allocation_of = [this](LocationId id) { return stream_.allocation_of(id); };
  analysis_options.statements = &stream_.tables().facts.statements;
  analysis_options.memory_of = [this](LocationId id) { return stream_.location(id); };
  if (!atomic_functions_.is_empty()) {
    analysis_options.is_atomic_function = [this](FunctionId id) {
      return atomic_functions_.contains(id, stream_.tables().functions[id]);
    };
  }
  // Which functions are atomic is found out on the way, by one at a time.
  const unsigned jobs = atomic_functions_.is_empty() ? options_.jobs : 1;
  std::mutex finish_mutex;                    // of the next two, and of what is shown
  std::set<std::string_view> ended_early;     // in finish()
  std::optional<Clock::time_point> patience;  // of who has interrupted
  auto goes_on_for = [&](std::string_view name) {
    return [&, name](double fraction) {
      const std::lock_guard guard(finish_mutex);
      options_.progress(fmt::format("analyze: {}", name), fraction);
      if (!judging_.is_over()) return true;
      if (judging_.is_stopped()) {
        if (!patience) patience = Clock::now() + kInterruptPatience;
        if (Clock::now() < *patience) return true;
      }
      ended_early.insert(name);
      return false;
    };
  };
  std::vector<std::unique_ptr<BufferedSink>> sinks;  // by analysis
  for (const analysis::AnalysisEntry* entry : options_.analyses) {
    const auto number = static_cast<uint32_t>(analyses.size());
    sinks.push_back(
        std::make_unique<BufferedSink>(collector_.sink(number, {entry->judged, entry->observed})));
    analysis_options.goes_on = goes_on_for(entry->name);
    analyses.push_back(entry->make(analysis_options, *sinks.back()));
    result_.stats.push_back({.name = std::string(entry->name)});
  }
  analysis_options.goes_on = goes_on_for("what others need");
  NeededAnalyses needed(options_.analyses, analysis_options);
  std::optional<analysis::AtomicInference> inference;
  if (options_.infer_atomic) inference.emplace();
  auto timed = [&](size_t i, auto work) {
    const auto begin = Clock::now();
    work(*analyses[i]);
    result_.stats[i].seconds += seconds_since(begin);
  };
  std::vector<size_t> active(analyses.size());
  std::iota(active.begin(), active.end(), size_t{0});
  bool cut_short = false;
  auto infers = [&] { return inference && inference->wants_another_pass(); };
  auto is_unfinished = [&] { return !active.empty() || needed.wants_another_pass() || infers(); };
  size_t pass = 0;
  std::string in_pass;  // who was in the middle of one
  double analyzing = 0;
  Batches some;
  // The stream does not move meanwhile, so whoever asks it about a location reads only.
  auto look_at_some = [&] {
    const auto begin = Clock::now();
    parallel_for(active.size() + 1, jobs, [&](size_t task) {
      if (task == active.size()) {
        some.for_each([&](size_t, std::span<const trace::Event> batch) {
          needed.on_events(batch);
          if (infers()) static_cast<analysis::Analysis&>(*inference).on_events(batch);
        });
        return;
      }
      const size_t i = active[task];
      timed(i, [&](analysis::Analysis& it) {
        some.for_each([&](size_t number, std::span<const trace::Event> batch) {
          sinks[i]->begin_batch(number);
          it.on_events(batch);
        });
      });
    });
    some.for_each([&](size_t number, std::span<const trace::Event>) {
      for (size_t i : active) sinks[i]->hand_on(number);
    });
    some.clear();
    analyzing += seconds_since(begin);
  };
  while (is_unfinished() && !cut_short) {
    ++pass;
    const std::string phase = pass == 1 ? "analyze" : fmt::format("analyze, pass {}", pass);
    auto done =
        for_each_batch(stream_, phase, options_.progress, [&](std::span<const trace::Event> batch) {
          some.add(batch);
          if (some.is_full()) look_at_some();
          cut_short = judging_.is_over();
          return !cut_short;
        });
    if (!done) return done;
    look_at_some();
    // A later pass that is cut short has seen less.
    if (pass == 1) {
      result_.trace.events = stream_.raw_events();
      result_.trace.threads = stream_.tables().threads.size();
      result_.trace.locks = stream_.tables().locks.size();
      result_.trace.locations = stream_.location_count();
    }
    if (cut_short) {
      for (size_t i : active) in_pass += fmt::format(", {}", options_.analyses[i]->name);
    }
    const auto finishing = Clock::now();
    if (!active.empty()) options_.progress(fmt::format("analyze: {}", names_of(active)), -1);
    parallel_for(active.size(), jobs, [&](size_t task) {
      timed(active[task], [](analysis::Analysis& it) { it.finish(); });
    });
    for (size_t i : active) sinks[i]->hand_on(SIZE_MAX);
    analyzing += seconds_since(finishing);
    std::erase_if(active, [&](size_t i) { return !analyses[i]->wants_another_pass(); });
    needed.finish();
    if (infers()) inference->finish();
  }
  if (cut_short) {
    std::string unfinished;
    for (size_t i : active) unfinished += fmt::format(", {}", options_.analyses[i]->name);
    warn(pass == 1
             ? fmt::format("{} after {} events; later events were not analyzed{}", why_over(),
                           stream_.raw_events(),
                           unfinished.empty() ? "" : " (unfinished: " + unfinished.substr(2) + ")")
             : fmt::format("{} in pass {} over the trace; unfinished: {}", why_over(), pass,
                           in_pass.empty() ? "--infer-atomic" : in_pass.substr(2)),
         ExitCode::cut_short);
  }
  for (const std::string_view name : ended_early) {
    warn(fmt::format("{}: {} did not look at everything", why_over(), name), ExitCode::cut_short);
  }
  if (judging_.is_stopped()) {
    // Whoever waits gets verdicts on what was found so far, soon.
    judging_.stop = nullptr;
    judging_.deadline = Clock::now() + kInterruptGrace;
  }
  for (size_t i = 0; i < analyses.size(); ++i) {
    Counters counters(result_.stats[i], result_.notes);
    if (auto result = needed.result_for(i, collector_)) analyses[i]->use(*result);
    analyses[i]->report_counters(counters);
    const uint64_t harmless = collector_.harmless(static_cast<uint32_t>(i));
    if (harmless > 0) counters.count("declared harmless", harmless);
  }

  if (inference && !infers()) result_.inferred = inference->candidates(stream_.tables());
  const std::vector<Diagnostic>& of_reader = stream_.reader().warnings();
  result_.warnings.insert(result_.warnings.begin(), of_reader.begin(), of_reader.end());
  for (const std::string& name : atomic_functions_.unmet()) {
    warn(fmt::format("no function '{}' was entered, so nothing was checked for it (--atomic)",
                     name));
  }
  if (collector_.dropped() > 0) {
    warn(
        fmt::format("more than {} different races were proposed; {} further proposals were not "
                    "examined",
                    ProposalCollector::kMostGroups, collector_.dropped()));
  }
  const double seconds = seconds_since(start);
  result_.phases.push_back({"read and normalize", seconds - analyzing});
  result_.phases.push_back({"analyze", analyzing});
  return {};
}

// What was left out because reads keep their writers is missing if they do not.
void Driver::settle_reads() {
  if (contended_ || stream_.tables().facts.needs_writers) {
    judging_.judge.reads.demand = trace::ReadDemand::same_writer;
  }
}

// Not an analysis of its own to the user: it finds what `predictable` would.
Result<void> Driver::propose_value_races() {
  const bool wanted = std::ranges::any_of(
      options_.analyses, [](const auto* entry) { return entry->name == kPredictable; });
  if (judging_.judge.reads.demand != trace::ReadDemand::same_value || !wanted ||
      !stream_.is_kept() || judging_.is_over()) {
    return {};
  }
  constexpr size_t kMost = 2000;
  const auto start = Clock::now();
  FORETELL_TRY(trace, stream_.load());
  analysis::AnalysisOptions analysis = options_.analysis;
  analysis.allocation_of = [this](LocationId id) { return stream_.allocation_of(id); };
  const auto number = static_cast<uint32_t>(options_.analyses.size());
  analysis::ProposalSink& sink = collector_.sink(number, {.judged = true});
  for (finding::Proposal& race : value_races(trace, analysis, kMost)) {
    sink.propose(std::move(race));
  }
  stream_.give_back(std::move(trace));
  result_.phases.push_back({"races by value", seconds_since(start)});
  return {};
}

// Sliced causality lets reads return anything that nothing depends upon. A proof about reorderings
// whose reads keep their values does not refute it.
void Driver::keep_sliced(std::vector<Ruling>& rulings) const {
  const auto sliced =
      std::ranges::find(options_.analyses, kSliced, [](const auto* entry) { return entry->name; });
  if (sliced == options_.analyses.end()) return;
  const uint32_t bit = 1u << (sliced - options_.analyses.begin());
  for (Ruling& ruling : rulings) {
    if ((ruling.group->analyses & bit) == 0 || !ruling.is_refuted()) continue;
    ruling.outcome = judge::JudgeOutcome::gave_up;
    ruling.reason =
        "some read must return another value, and by what is known of the code neither access "
        "depends on it";
  }
}

Result<void> Driver::judge_in_memory(std::vector<Ruling>& rulings) {
  const auto start = Clock::now();
  options_.progress("judge: index the trace", -1);
  FORETELL_TRY(trace, stream_.load());
  pipeline::judge_in_memory(trace, rulings, judging_);
  keep_sliced(rulings);
  std::erase_if(rulings,
                [&](const Ruling& ruling) { return !ruling.witness && is_only_by_value(ruling); });
  result_.phases.push_back({"judge", seconds_since(start)});

  const auto describing = Clock::now();
  auto location_name = [&](LocationId id) { return trace.location_name(id); };
  EventDescriber describer(trace.tables, location_name);
  watch_order(rulings);
  show_events(rulings, trace.events);
  want_events(rulings, describer);
  std::vector<Trial> trials = find_trials_in(trace, rulings);
  if (const auto is_harmless = harmless_filter()) {
    std::erase_if(trials, [&](const Trial& trial) {
      return trial.proposal.kind == finding::FindingKind::race && is_harmless(trial.proposal);
    });
  }
  for (const Trial& trial : trials) want_trial(trial, describer);
  describer.on_events(trace.events);
  add_findings(rulings, describer, trace.tables, location_name);
  for (const Trial& trial : trials) add_trial(trial, describer, trace.tables, location_name);
  stream_.give_back(std::move(trace));
  result_.phases.push_back({"describe", seconds_since(describing)});
  return {};
}

Result<void> Driver::judge_excerpts(std::vector<Ruling>& rulings) {
  const auto start = Clock::now();
  auto judged = pipeline::judge_excerpts(stream_, rulings, judging_);
  if (!judged) return judged;
  result_.phases.push_back({"judge", seconds_since(start)});

  const auto describing = Clock::now();
  auto location_name = [&](LocationId id) { return stream_.location_name(id); };
  EventDescriber describer(stream_.tables(), location_name);
  want_events(rulings, describer);
  auto described = for_each_batch(stream_, "describe", options_.progress,
                                  [&](std::span<const trace::Event> batch) {
                                    describer.on_events(batch);
                                    return true;
                                  });
  if (!described) return described;
  add_findings(rulings, describer, stream_.tables(), location_name);
  result_.phases.push_back({"describe", seconds_since(describing)});
  return {};
}

std::span<const EventIndex> last_steps(const finding::Witness& witness) {
  std::span<const EventIndex> steps = witness.steps;
  return steps.last(std::min(steps.size(), kShownSteps));
}

void Driver::want_events(const std::vector<Ruling>& rulings, EventDescriber& describer) const {
  for (const Ruling& ruling : rulings) {
    for (const finding::EventRef& e : ruling.proposal.events) describer.want(e.index);
    if (ruling.witness) {
      if (ruling.recorded_write != kNoEvent) describer.want(ruling.recorded_write);
      for (EventIndex index : last_steps(*ruling.witness)) describer.want(index);
    }
    if (ruling.unordered) {
      for (const finding::EventRef& e : ruling.unordered->race.events) describer.want(e.index);
      if (ruling.unordered->write != kNoEvent) {
        describer.want(ruling.unordered->write);
        describer.want(ruling.unordered->read);
      }
    }
    if (!ruling.watch) continue;
    for (const OrderWatch::Edge& edge : ruling.watch->path()) {
      describer.want(edge.from);
      describer.want(edge.to);
    }
  }
}

void Driver::add_findings(std::vector<Ruling>& rulings, const EventDescriber& describer,
                          const trace::TraceTables& tables,
                          const EventDescriber::LocationName& location_name) {
  for (Ruling& ruling : rulings) {
    finding::Finding& finding =
        (ruling.is_refuted() ? result_.dismissed : result_.findings).emplace_back();
    const bool unordered = ruling.unordered && !ruling.witness;
    if (unordered) ruling.proposal = ruling.unordered->race;
    finding.verdict = ruling.is_refuted() ? finding::Verdict::dismissed
                      : ruling.witness    ? finding::Verdict::predicted
                      : unordered         ? finding::Verdict::unordered
                                          : finding::Verdict::possible;
    for (size_t i = 0; i < options_.analyses.size(); ++i) {
      if (ruling.group->analyses >> i & 1) {
        finding.analyses.emplace_back(options_.analyses[i]->name);
      }
    }
    if (finding.analyses.empty()) finding.analyses.emplace_back(kPredictable);
    for (const finding::EventRef& e : ruling.proposal.events)
      finding.events.push_back(describer[e.index]);
    finding.details = described_details(ruling, finding.events, describer, tables, location_name);
    finding.reason = unordered ? std::string(kUnorderedReason) : std::move(ruling.reason);
    finding.occurrences = ruling.group->proposals;
    if (ruling.watch && !ruling.witness) {
      const finding::RecordedOrder order = described_order(*ruling.watch, {}, describer, tables);
      if (!order.path.empty()) finding.reason = refutation_text(order.path);
    }
    if (!ruling.witness) continue;
    finding.witness = std::move(ruling.witness);
    finding.reads = ruling.reads;
    for (EventIndex index : last_steps(*finding.witness)) {
      finding.witness->last_steps.push_back(describer[index]);
    }
  }
}

std::vector<Trial> Driver::find_trials_in(const trace::Trace& trace,
                                          const std::vector<Ruling>& rulings) {
  if (!options_.trials) return {};
  analysis::AnalysisOptions analysis = options_.analysis;
  analysis.allocation_of = [this](LocationId id) { return stream_.allocation_of(id); };
  analysis.goes_on = [this](double) { return !judging_.is_over(); };
  return find_trials(trace, rulings, analysis, judging_);
}

void Driver::want_trial(const Trial& trial, EventDescriber& describer) {
  for (const finding::EventRef& e : trial.proposal.events) describer.want(e.index);
  for (EventIndex index : last_steps(trial.witness)) describer.want(index);
}

void Driver::add_trial(const Trial& trial, const EventDescriber& describer,
                       const trace::TraceTables& tables,
                       const EventDescriber::LocationName& location_name) {
  finding::Finding& finding = result_.trials.emplace_back();
  for (const finding::EventRef& e : trial.proposal.events) {
    finding.events.push_back(describer[e.index]);
  }
  Ruling ruling;
  ruling.proposal = trial.proposal;
  finding.details = described_details(ruling, finding.events, describer, tables, location_name);
  finding.analyses = {"trial"};
  finding.witness = trial.witness;
  for (EventIndex index : last_steps(trial.witness)) {
    finding.witness->last_steps.push_back(describer[index]);
  }
}

void Driver::warn(std::string message, ExitCode exit_code) {
  Diagnostic warning{std::move(message), ""};
  warning.exit_code = exit_code;
  result_.warnings.push_back(std::move(warning));
}

void Driver::warn_of_unexamined(const std::vector<Ruling>& rulings) {
  const auto judged = static_cast<size_t>(std::ranges::count_if(rulings, &Ruling::is_judged));
  const auto unexamined = static_cast<size_t>(std::ranges::count_if(
      rulings, [](const Ruling& r) { return r.is_judged() && !r.is_examined; }));
  if (unexamined == 0) return;
  warn(fmt::format("{} before {} of {} proposals were judged", why_over(), unexamined, judged),
       ExitCode::cut_short);
}

void Driver::sort_findings() {
  auto key = [](const finding::Finding& f) {
    return std::tuple(f.verdict, f.kind(), f.events.back().index, f.events[0].index, f.name());
  };
  std::ranges::sort(result_.findings, {}, key);
  std::ranges::sort(result_.dismissed, {}, key);
  result_.number_findings();
}

}  // namespace

Result<finding::AnalysisResult> analyze(trace::TraceStream stream, const DriverOptions& options) {
  return Driver(std::move(stream), options).run();
}

}  // namespace foretell::pipeline
