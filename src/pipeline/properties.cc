// SPDX-License-Identifier: Apache-2.0

#include "pipeline/properties.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "analysis/property/matching.h"
#include "base/elapsed.h"
#include "base/parallel.h"
#include "judge/reordering.h"
#include "pipeline/witness_steps.h"
#include "trace/trace.h"

namespace foretell::pipeline {
namespace {

using analysis::kNoLetter;
using analysis::Letters;
using analysis::Slice;
using finding::CheckedProperty;
using judge::Position;
using property_language::Property;
using property_language::Quantifier;
using property_language::Verdict;
using Answer = CheckedProperty::Answer;

constexpr size_t kShownEvents = 6;
// Threads beyond this are too many for the generator.
constexpr std::string_view kTooManyThreads =
    "the run has more than 64 threads: only the recorded run was checked against properties";

Letters letters_of(const trace::Trace& trace, const Property& property, const Slice& slice) {
  Letters letters(trace.events.size(), kNoLetter);
  for (const auto& [position, events] : slice.steps) {
    letters[position] = property.alphabet->letter(events);
  }
  return letters;
}

bool is_of_one_thread(const trace::Trace& trace, const Slice& slice) {
  return std::ranges::all_of(slice.steps, [&](const auto& step) {
    return trace.events[step.first].thread == trace.events[slice.steps[0].first].thread;
  });
}

Answer worse(Answer a, Answer b) {
  if (a == Answer::violated || b == Answer::violated) return Answer::violated;
  if (a == Answer::unknown || b == Answer::unknown) return Answer::unknown;
  return a == Answer::not_asked ? b : a;
}

Answer answer_of(const analysis::RunsOutcome& outcome) {
  switch (outcome.answer) {
    case analysis::RunsOutcome::Answer::violated:
      return Answer::violated;
    case analysis::RunsOutcome::Answer::satisfied:
      return Answer::satisfied;
    case analysis::RunsOutcome::Answer::unknown:
      break;
  }
  return Answer::unknown;
}

// One property in front of one trace.
class PropertyChecker {
 public:
  PropertyChecker(const trace::Trace& trace, const judge::Judge& judge, const Property& property,
                  const PropertyOptions& options, const JudgingOptions& judging)
      : trace_(trace),
        judge_(judge),
        property_(property),
        options_(options),
        judging_(judging),
        some_run_(property.quantifier == Quantifier::some_run) {}

  void check(PropertyResults& results);

 private:
  void warn_of_unmet(const analysis::Matched& matched, PropertyResults& results) const;
  void check_slice(const Slice& slice);
  PropertyViolation violation_by(const Slice& slice, const Letters& letters,
                                 const judge::Reordering& run, bool at_end) const;
  void add(PropertyViolation violation);
  // The strongest demand on reads first.
  bool find_run(const Slice& slice, const Letters& letters, CheckedProperty& mine);
  analysis::RunsOutcome generate(const Letters& letters, analysis::Causality causality,
                                 trace::ReadDemand reads) const;
  void add_trial(const Slice& slice, const Letters& letters, judge::Interleaving run);
  // Nothing if the checker or the monitor does not agree.
  std::optional<judge::Reordering> accepted(const Letters& letters, judge::Interleaving run,
                                            bool at_end, trace::ReadDemand reads) const;
  bool is_violated_by(const Letters& letters, const judge::Interleaving& run, bool at_end) const;
  finding::Witness witness_of(const judge::Goal& goal, const judge::Reordering& run) const;
  judge::Goal goal_of(const Letters& letters, const judge::Interleaving& run) const;
  judge::Interleaving recorded_run(Position until) const {
    judge::Interleaving all(until);
    for (Position p = 0; p < until; ++p) all[p] = p;
    return all;
  }

  const trace::Trace& trace_;
  const judge::Judge& judge_;
  const Property& property_;
  const PropertyOptions& options_;
  const JudgingOptions& judging_;
  const bool some_run_;

  std::mutex mutex_;  // of what follows
  CheckedProperty checked_;
  std::map<std::tuple<SiteId, bool>, PropertyViolation> violations_;  // by the last step's place
  std::optional<PropertyViolation> trial_;
  size_t refused_ = 0;
};

bool PropertyChecker::is_violated_by(const Letters& letters, const judge::Interleaving& run,
                                     bool at_end) const {
  const auto monitor = property_.monitor();
  auto state = monitor->initial();
  for (Position p : run) {
    if (letters[p] == kNoLetter) continue;
    state = monitor->next(state, letters[p], static_cast<uint32_t>(trace_.events[p].thread));
  }
  return at_end ? !monitor->may_end(state) : monitor->verdict(state) == Verdict::violated;
}

judge::Goal PropertyChecker::goal_of(const Letters& letters, const judge::Interleaving& run) const {
  std::vector<Position> seen;
  for (Position p : run) {
    if (letters[p] != kNoLetter) seen.push_back(p);
  }
  return judge::Goal::order(std::move(seen));
}

std::optional<judge::Reordering> PropertyChecker::accepted(const Letters& letters,
                                                           judge::Interleaving run, bool at_end,
                                                           trace::ReadDemand reads) const {
  const judge::TraceFacts& facts = judge_.facts(reads);
  const judge::Goal goal = goal_of(letters, run);
  Position same = 0;
  while (same < run.size() && run[same] == same) ++same;
  judge::Reordering reordering{same, {run.begin() + static_cast<ptrdiff_t>(same), run.end()}};
  if (judge::check_order_witness(facts, reordering, goal.events)) return {};
  if (!at_end) {
    const judge::Reordering shorter = judge_.minimized(goal, reordering, reads);
    const bool still = !judge::check_order_witness(facts, shorter, goal.events) &&
                       is_violated_by(letters, shorter.written_out(), at_end);
    if (still) reordering = shorter;
  }
  if (!is_violated_by(letters, reordering.written_out(), at_end)) return {};
  return reordering;
}

finding::Witness PropertyChecker::witness_of(const judge::Goal& goal,
                                             const judge::Reordering& run) const {
  const judge::TraceFacts& facts = judge_.facts();
  if (run.steps.empty()) {  // the recorded run up to its last step
    const EventIndex last = trace_.events[run.recorded - 1].index;
    return {to_index(last), {last}, {}};
  }
  const uint64_t prefix = run.recorded == 0 ? 0 : to_index(facts.event(run.recorded).index);
  return {prefix, input_steps(trace_, facts, goal, run), {}};
}

PropertyViolation PropertyChecker::violation_by(const Slice& slice, const Letters& letters,
                                                const judge::Reordering& run, bool at_end) const {
  const judge::Interleaving steps = run.written_out();
  PropertyViolation violation{.details = {.name = property_.name,
                                          .about = property_.about,
                                          .formula = property_.formula,
                                          .place = property_.where,
                                          .binding = slice.text(property_),
                                          .specification = property_.text,
                                          .at_end = at_end}};
  const auto monitor = property_.monitor();
  auto state = monitor->initial();
  for (Position p : steps) {
    if (letters[p] == kNoLetter) continue;
    const trace::Event& e = trace_.events[p];
    state = monitor->next(state, letters[p], static_cast<uint32_t>(e.thread));
    violation.details.steps.push_back({e.index,
                                       fmt::format("{} {}", trace_.tables.threads[e.thread],
                                                   property_.alphabet->text(letters[p])),
                                       monitor->name(state)});
    if (!at_end && monitor->verdict(state) == Verdict::violated) break;
  }
  const auto& seen = violation.details.steps;
  for (size_t i = seen.size(); i-- > 0 && violation.events.size() < kShownEvents;) {
    violation.events.push_back(seen[i].index);
  }
  violation.witness = witness_of(goal_of(letters, steps), run);
  return violation;
}

void PropertyChecker::add(PropertyViolation violation) {
  SiteId place = kNoSite;
  if (!violation.events.empty()) {
    const auto at =
        std::ranges::lower_bound(trace_.events, violation.events[0], {}, &trace::Event::index);
    place = at->site;
  }
  const std::lock_guard guard(mutex_);
  const std::tuple key(place, violation.details.at_end);
  auto [it, fresh] = violations_.try_emplace(key, violation);
  if (fresh) return;
  // The same binding stands for all, whoever was quicker here.
  const uint64_t occurrences = it->second.occurrences + 1;
  if (violation.details.binding < it->second.details.binding) it->second = std::move(violation);
  it->second.occurrences = occurrences;
}

void PropertyChecker::add_trial(const Slice& slice, const Letters& letters,
                                judge::Interleaving run) {
  Position same = 0;
  while (same < run.size() && run[same] == same) ++same;
  PropertyViolation violation = violation_by(
      slice, letters, {same, {run.begin() + static_cast<ptrdiff_t>(same), run.end()}}, false);
  const std::lock_guard guard(mutex_);
  if (!trial_ || violation.details.binding < trial_->details.binding) trial_ = std::move(violation);
}

analysis::RunsOutcome PropertyChecker::generate(const Letters& letters,
                                                analysis::Causality causality,
                                                trace::ReadDemand reads) const {
  const judge::TraceFacts& facts = judge_.facts(reads);
  std::vector<bool> visible(letters.size());
  for (size_t i = 0; i < visible.size(); ++i) visible[i] = letters[i] != kNoLetter;
  const analysis::RunModel model(facts, analysis::contended_locations(facts), visible, causality);
  return analysis::check_all_runs(model, property_, letters,
                                  {.goes_on = [&] { return !judging_.is_over(); }});
}

bool PropertyChecker::find_run(const Slice& slice, const Letters& letters, CheckedProperty& mine) {
  std::vector<trace::ReadDemand> demands = {trace::ReadDemand::same_writer};
  const trace::ReadDemand weaker = judging_.judge.reads.demand;
  // What was left out of a recording may be left out only as long as reads keep their writers.
  const bool has_weaker = weaker != trace::ReadDemand::same_writer &&
                          !trace_.tables.facts.needs_writers &&
                          judge_.facts(weaker).values.is_any_flexible();
  if (has_weaker) demands.push_back(weaker);
  for (trace::ReadDemand reads : demands) {
    analysis::RunsOutcome outcome =
        generate(letters, analysis::Causality::correct_reorderings, reads);
    mine.cuts += outcome.cuts;
    mine.widest = std::max(mine.widest, outcome.widest);
    // With more runs one may satisfy what some run has to.
    mine.reorderings = some_run_ ? answer_of(outcome) : worse(mine.reorderings, answer_of(outcome));
    if (some_run_ && outcome.answer != analysis::RunsOutcome::Answer::violated) return false;
    if (some_run_ || outcome.answer != analysis::RunsOutcome::Answer::violated) continue;
    if (auto run = accepted(letters, std::move(outcome.run), outcome.at_end, reads)) {
      PropertyViolation violation = violation_by(slice, letters, *run, outcome.at_end);
      violation.reads = reads;
      add(std::move(violation));
      return true;
    }
    mine.reorderings = Answer::unknown;
    const std::lock_guard guard(mutex_);
    ++refused_;
  }
  return some_run_;
}

void PropertyChecker::check_slice(const Slice& slice) {
  const judge::TraceFacts& facts = judge_.facts();
  const Letters letters = letters_of(trace_, property_, slice);
  const analysis::RecordedOutcome recorded =
      analysis::check_recorded_run(facts, property_, letters);
  CheckedProperty mine;
  mine.recorded = recorded.violated ? Answer::violated : Answer::satisfied;
  const bool too_many = facts.thread_count() > analysis::kMostThreads;
  const bool settled =
      some_run_ ? !recorded.violated : recorded.violated || is_of_one_thread(trace_, slice);
  auto add_recorded = [&] {
    PropertyViolation violation =
        violation_by(slice, letters, {recorded.until, {}}, recorded.at_end);
    violation.details.recorded = true;
    violation.details.no_run = some_run_;
    add(std::move(violation));
  };
  if (settled || too_many) {
    mine.reorderings = settled ? mine.recorded : Answer::unknown;
    mine.happens_before = mine.reorderings;
    if (recorded.violated && !some_run_) add_recorded();
  } else {
    const bool found = find_run(slice, letters, mine);
    if (options_.compare) {
      mine.happens_before = answer_of(
          generate(letters, analysis::Causality::happens_before, trace::ReadDemand::same_writer));
    }
    if (found && some_run_) add_recorded();
    if (!found && options_.trials && !some_run_ && !property_.whole) {
      analysis::RunsOutcome tried =
          generate(letters, analysis::Causality::any_reads, trace::ReadDemand::same_writer);
      if (tried.answer == analysis::RunsOutcome::Answer::violated) {
        add_trial(slice, letters, std::move(tried.run));
      }
    }
  }
  const std::lock_guard guard(mutex_);
  checked_.recorded = worse(checked_.recorded, mine.recorded);
  checked_.reorderings = worse(checked_.reorderings, mine.reorderings);
  checked_.happens_before = worse(checked_.happens_before, mine.happens_before);
  checked_.cuts += mine.cuts;
  checked_.widest = std::max(checked_.widest, mine.widest);
}

void PropertyChecker::warn_of_unmet(const analysis::Matched& matched,
                                    PropertyResults& results) const {
  std::string unmet;
  for (size_t i = 0; i < matched.count.size(); ++i) {
    if (matched.count[i] > 0) continue;
    unmet += fmt::format("{}'{}'", unmet.empty() ? "" : ", ", property_.events[i].name);
  }
  if (unmet.empty() && !matched.slices.empty()) return;
  const bool none = matched.slices.empty();
  results.warnings.push_back(
      {none ? fmt::format("no step of the run is an event of property '{}': it was not tested",
                          property_.name)
            : fmt::format("property '{}': no step of the run is {}", property_.name, unmet),
       property_.where});
}

void PropertyChecker::check(PropertyResults& results) {
  const auto start = std::chrono::steady_clock::now();
  const analysis::Matched matched = analysis::match_events(trace_, property_);
  warn_of_unmet(matched, results);
  checked_.name = property_.name;
  checked_.slices = matched.slices.size();
  for (const Slice& slice : matched.slices) checked_.steps += slice.steps.size();
  size_t examined = 0;
  parallel_for(matched.slices.size(), judging_.jobs, [&](size_t i) {
    if (judging_.is_over()) return;
    check_slice(matched.slices[i]);
    const std::lock_guard guard(mutex_);
    judging_.progress(fmt::format("property {}", property_.name),
                      static_cast<double>(++examined) / static_cast<double>(matched.slices.size()));
  });
  auto warn = [&](std::string message) {
    Diagnostic warning{std::move(message), property_.where};
    warning.exit_code = ExitCode::cut_short;
    results.warnings.push_back(std::move(warning));
  };
  if (examined < matched.slices.size() || matched.left_out > 0) {
    checked_.reorderings = worse(checked_.reorderings, Answer::unknown);
    warn(fmt::format("property '{}': {} of {} bindings were not examined", property_.name,
                     matched.slices.size() - examined + matched.left_out,
                     matched.slices.size() + matched.left_out));
  }
  if (judge_.facts().thread_count() > analysis::kMostThreads) {
    warn(std::string(kTooManyThreads));
  } else if (checked_.reorderings == Answer::unknown && examined == matched.slices.size()) {
    warn(
        fmt::format("property '{}': there are more runs than were generated ({} cuts); those "
                    "nearest to the recorded run were",
                    property_.name, checked_.cuts));
  }
  if (refused_ > 0) {
    warn(fmt::format("property '{}': {} runs were not accepted by the judge", property_.name,
                     refused_));
  }
  checked_.seconds = seconds_since(start);
  results.checked.push_back(std::move(checked_));
  if (violations_.empty() && trial_) results.trials.push_back(std::move(*trial_));
  for (auto& [place, violation] : violations_) results.violations.push_back(std::move(violation));
}

// A file of ready properties is about more than one program uses: the program was compiled with
// hooks, and it has none of the functions that this property names.
bool is_for_others(const trace::TraceTables& tables, const Property& property,
                   const std::vector<std::string>& missing) {
  const bool has_hooks = std::ranges::any_of(
      tables.facts.other.rows(), [](const auto& row) { return row.key.starts_with("hook."); });
  const auto named = std::ranges::count_if(
      property.events, [](const auto& event) { return !analysis::hook_name(event).empty(); });
  return has_hooks && std::cmp_equal(missing.size(), named);
}

}  // namespace

Result<PropertyResults> check_properties(const trace::Trace& trace, const PropertyOptions& options,
                                         const JudgingOptions& judging) {
  for (const auto& specification : options.specifications) {
    for (const Property& property : specification->properties) {
      const auto missing = analysis::missing_hooks(trace.tables, property);
      if (missing.empty() || is_for_others(trace.tables, property, missing)) continue;
      return std::unexpected(
          Diagnostic{fmt::format("property '{}' asks for '{}', for which the program has no hook",
                                 property.name, missing[0]),
                     property.where}
              .with_note("compile all of it with 'foretell cc --property=FILE', which puts hooks "
                         "where properties need them; or there is no such function"));
    }
  }
  PropertyResults results;
  const judge::Judge judge(trace, judging.judge);
  for (const auto& specification : options.specifications) {
    for (const Property& property : specification->properties) {
      const auto missing = analysis::missing_hooks(trace.tables, property);
      if (!missing.empty()) {
        results.warnings.push_back(
            {fmt::format(
                 "the program has none of the functions of property '{}': it was not tested",
                 property.name),
             property.where});
        continue;
      }
      PropertyChecker(trace, judge, property, options, judging).check(results);
    }
  }
  return results;
}

Result<std::vector<std::string>> violated_bindings(trace::TraceReader& run,
                                                   const std::string& specification) {
  FORETELL_TRY(parsed, property_language::parse(specification, "property"));
  run.rewind();
  trace::Trace raw;
  std::vector<trace::Event> batch(trace::kBatchSize);
  for (;;) {
    FORETELL_TRY(got, run.read(batch));
    if (got == 0) break;
    raw.events.insert(raw.events.end(), batch.begin(), batch.begin() + static_cast<ptrdiff_t>(got));
  }
  raw.tables = run.tables();
  FORETELL_TRY(normal, trace::normalize(std::move(raw)));
  const judge::TraceFacts facts(normal);
  const Property& property = parsed.properties[0];
  std::vector<std::string> violated;
  for (const Slice& slice : analysis::match_events(normal, property).slices) {
    const Letters letters = letters_of(normal, property, slice);
    if (analysis::check_recorded_run(facts, property, letters).violated) {
      violated.push_back(slice.text(property));
    }
  }
  return violated;
}

}  // namespace foretell::pipeline
