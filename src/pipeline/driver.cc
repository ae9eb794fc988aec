// SPDX-License-Identifier: Apache-2.0

#include "pipeline/driver.h"

#include <algorithm>
#include <tuple>

#include "analysis/atomicity/function_choice.h"
#include "base/elapsed.h"
#include "clocks/contended_cells.h"
#include "pipeline/analysis_passes.h"
#include "pipeline/benign.h"
#include "pipeline/collector.h"
#include "pipeline/explained_by_races.h"
#include "pipeline/finding_describer.h"
#include "pipeline/judging.h"
#include "pipeline/trials.h"
#include "pipeline/value_races.h"

namespace foretell::pipeline {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kInterruptGrace = std::chrono::seconds(1);  // for judging

// Of a watched run of more events the locations that matter are found first.
constexpr uint64_t kLongWatched = uint64_t{1} << 21;

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
        options.infer_atomic || !options.properties.specifications.empty() ||
        !std::ranges::all_of(options.analyses, [](const auto* entry) { return entry->online; });
    if (has_more_passes) stream_.keep(options.in_memory_events);
  }

  Result<finding::AnalysisResult> run() {
    if (auto done = leave_out_uncontended(); !done) return std::unexpected(std::move(done).error());
    if (auto done = run_analyses(); !done) return std::unexpected(std::move(done).error());
    // Every proposal is now in a group, and nothing of the trace itself is kept.

    misuses_ = stream_.tables().facts.misuses;
    settle_reads();
    if (auto done = propose_value_races(); !done) return std::unexpected(std::move(done).error());
    std::vector<Ruling> rulings = open_rulings(collector_.groups());
    const bool small =
        stream_.is_kept() || (!contended_ && stream_.raw_events() <= options_.in_memory_events);
    const bool has_trials = options_.trials && small;
    const bool has_properties = !options_.properties.specifications.empty();
    if (has_properties && !small) {
      result_.warn(fmt::format("the trace has more than {} events: properties were not checked",
                               options_.in_memory_events),
                   ExitCode::cut_short);
    }
    if (!rulings.empty() || has_trials || !misuses_.empty() || (has_properties && small)) {
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
  Result<PropertyResults> check_properties_of(const trace::Trace& trace);
  void want(const std::vector<Ruling>& rulings, FindingDescriber& describer) const;
  void add_findings(std::vector<Ruling>& rulings, const FindingDescriber& describer);
  void warn_of_unexamined(const std::vector<Ruling>& rulings);
  void sort_findings();

  const DriverOptions& options_;
  JudgingOptions judging_;
  trace::TraceStream stream_;
  // A stream has seen all facts of its run once it is open.
  const BenignRanges benign_;
  analysis::FunctionChoice atomic_functions_;
  ProposalCollector collector_;
  // What the program did in the recorded run although it may not.
  std::vector<trace::MisuseFact> misuses_;
  std::unique_ptr<clocks::ContendedCells> contended_;  // null: nothing is left out
  finding::AnalysisResult result_;
};

bool Driver::wants_contended_only() const {
  // Functions as blocks are found by the analyses, too late to keep what happens in them.
  if (options_.infer_atomic || !atomic_functions_.is_empty()) return false;
  // A property may see any access.
  if (!options_.properties.specifications.empty()) return false;
  const uint64_t events = stream_.reader().event_count().value_or(0);
  // What was watched has reads that keep their writers anyway, so nothing is lost. But its memory was
  // chosen by the names of allocations, and the cells that matter are often few of it.
  if (stream_.tables().facts.needs_writers && events > kLongWatched) return true;
  return options_.contended_only == ContendedOnly::always || events > options_.in_memory_events;
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
  AnalysisPasses passes(stream_, options_, judging_, atomic_functions_, collector_, result_);
  if (auto done = passes.run(); !done) return done;
  if (judging_.is_stopped()) {
    // Whoever waits gets verdicts on what was found so far, soon.
    judging_.stop = nullptr;
    judging_.deadline = Clock::now() + kInterruptGrace;
  }
  const std::vector<Diagnostic>& of_reader = stream_.reader().warnings();
  result_.warnings.insert(result_.warnings.begin(), of_reader.begin(), of_reader.end());
  for (const std::string& name : atomic_functions_.unmet()) {
    result_.warn(fmt::format(
        "no function '{}' was entered, so nothing was checked for it (--atomic)", name));
  }
  if (collector_.dropped() > 0) {
    result_.warn(
        fmt::format("more than {} different races were proposed; {} further proposals were not "
                    "examined",
                    ProposalCollector::kMostGroups, collector_.dropped()));
  }
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

  FORETELL_TRY(properties, check_properties_of(trace));

  const auto describing = Clock::now();
  FindingDescriber describer(trace.tables, [&](LocationId id) { return trace.location_name(id); });
  watch_order(rulings);
  show_events(rulings, trace.events);
  want(rulings, describer);
  std::vector<Trial> trials = find_trials_in(trace, rulings);
  if (const auto is_harmless = harmless_filter()) {
    std::erase_if(trials, [&](const Trial& trial) {
      return trial.proposal.kind == finding::FindingKind::race && is_harmless(trial.proposal);
    });
  }
  for (const Trial& trial : trials) describer.want(trial);
  for (const PropertyViolation& violation : properties.violations) describer.want(violation);
  for (const PropertyViolation& violation : properties.trials) describer.want(violation);
  describer.on_events(trace.events);
  add_findings(rulings, describer);
  for (PropertyViolation& violation : properties.violations) {
    result_.findings.push_back(describer.describe(violation));
  }
  for (PropertyViolation& violation : properties.trials) {
    result_.trials.push_back(describer.describe(violation));
    result_.trials.back().analyses = {"trial"};
  }
  for (const Trial& trial : trials) result_.trials.push_back(describer.describe(trial));
  stream_.give_back(std::move(trace));
  result_.phases.push_back({"describe", seconds_since(describing)});
  return {};
}

Result<PropertyResults> Driver::check_properties_of(const trace::Trace& trace) {
  if (options_.properties.specifications.empty()) return PropertyResults();
  const auto start = Clock::now();
  PropertyOptions properties = options_.properties;
  properties.trials = options_.trials;
  auto results = check_properties(trace, properties, judging_);
  if (!results) return results;
  std::ranges::move(results->warnings, std::back_inserter(result_.warnings));
  result_.properties = std::move(results->checked);
  result_.phases.push_back({"properties", seconds_since(start)});
  return results;
}

Result<void> Driver::judge_excerpts(std::vector<Ruling>& rulings) {
  const auto start = Clock::now();
  auto judged = pipeline::judge_excerpts(stream_, rulings, judging_);
  if (!judged) return judged;
  result_.phases.push_back({"judge", seconds_since(start)});

  const auto describing = Clock::now();
  FindingDescriber describer(stream_.tables(),
                             [&](LocationId id) { return stream_.location_name(id); });
  want(rulings, describer);
  auto described = for_each_batch(stream_, "describe", options_.progress,
                                  [&](std::span<const trace::Event> batch) {
                                    describer.on_events(batch);
                                    return true;
                                  });
  if (!described) return described;
  add_findings(rulings, describer);
  result_.phases.push_back({"describe", seconds_since(describing)});
  return {};
}

void Driver::want(const std::vector<Ruling>& rulings, FindingDescriber& describer) const {
  for (const trace::MisuseFact& fact : misuses_) describer.want(fact);
  for (const Ruling& ruling : rulings) describer.want(ruling);
}

void Driver::add_findings(std::vector<Ruling>& rulings, const FindingDescriber& describer) {
  for (Ruling& ruling : rulings) {
    std::vector<std::string> analyses;
    for (size_t i = 0; i < options_.analyses.size(); ++i) {
      if (ruling.group->analyses >> i & 1) analyses.emplace_back(options_.analyses[i]->name);
    }
    if (analyses.empty()) analyses.emplace_back(kPredictable);
    auto& findings = ruling.is_refuted() ? result_.dismissed : result_.findings;
    findings.push_back(describer.describe(ruling, std::move(analyses)));
  }
  for (const trace::MisuseFact& fact : misuses_) describer.add_misuse(fact, result_.findings);
}

std::vector<Trial> Driver::find_trials_in(const trace::Trace& trace,
                                          const std::vector<Ruling>& rulings) {
  if (!options_.trials) return {};
  analysis::AnalysisOptions analysis = options_.analysis;
  analysis.allocation_of = [this](LocationId id) { return stream_.allocation_of(id); };
  analysis.goes_on = [this](double) { return !judging_.is_over(); };
  std::vector<Trial> trials = find_trials(trace, rulings, analysis, judging_);
  std::ranges::move(find_read_trials(trace, analysis, judging_), std::back_inserter(trials));
  return trials;
}

void Driver::warn_of_unexamined(const std::vector<Ruling>& rulings) {
  const auto judged = static_cast<size_t>(std::ranges::count_if(rulings, &Ruling::is_judged));
  const auto unexamined = static_cast<size_t>(std::ranges::count_if(
      rulings, [](const Ruling& r) { return r.is_judged() && !r.is_examined; }));
  if (unexamined == 0) return;
  result_.warn(fmt::format("{} before {} of {} proposals were judged", options_.why_over(),
                           unexamined, judged),
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
