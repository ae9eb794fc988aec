// SPDX-License-Identifier: Apache-2.0

#include "pipeline/analysis_passes.h"

#include <numeric>

#include "analysis/race/sync_preserving/sharing.h"
#include "base/elapsed.h"
#include "base/parallel.h"

namespace foretell::pipeline {
namespace {

constexpr auto kInterruptPatience = std::chrono::milliseconds(500);  // for last steps of analyses

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

}  // namespace

void AnalysisPasses::Batches::add(std::span<const trace::Event> batch) {
  events_.insert(events_.end(), batch.begin(), batch.end());
  ends_.push_back(events_.size());
}

void AnalysisPasses::Batches::for_each(
    const std::function<void(size_t number, std::span<const trace::Event>)>& handle) const {
  size_t begin = 0;
  for (size_t i = 0; i < ends_.size(); begin = ends_[i++]) {
    handle(i, std::span(events_).first(ends_[i]).subspan(begin));
  }
}

void AnalysisPasses::Batches::clear() {
  events_.clear();
  ends_.clear();
}

AnalysisPasses::AnalysisPasses(trace::TraceStream& stream, const DriverOptions& options,
                               const JudgingOptions& limits,
                               analysis::FunctionChoice& atomic_functions,
                               ProposalCollector& collector, finding::AnalysisResult& result)
    : stream_(stream),
      options_(options),
      limits_(limits),
      atomic_functions_(atomic_functions),
      collector_(collector),
      result_(result),
      // Which functions are atomic is found out on the way, by one at a time.
      jobs_(atomic_functions.is_empty() ? options.jobs : 1) {
  analysis::AnalysisOptions analysis = options_of_analyses();
  // Who is alone says more: how many edges there are, for one.
  if (options.analyses.size() > 1) {
    sharing_ = std::make_shared<analysis::Sharing>(analysis);
    analysis.sharing = sharing_;
  }
  for (const analysis::AnalysisEntry* entry : options.analyses) {
    const auto number = static_cast<uint32_t>(analyses_.size());
    sinks_.push_back(
        std::make_unique<BufferedSink>(collector.sink(number, {entry->judged, entry->observed})));
    analysis.goes_on = goes_on_for(entry->name);
    analyses_.push_back(entry->make(analysis, *sinks_.back()));
    result.stats.push_back({.name = std::string(entry->name)});
  }
  if (sharing_ && !sharing_->is_wanted()) sharing_.reset();
  analysis.sharing.reset();
  analysis.goes_on = goes_on_for("what others need");
  needed_.emplace(options.analyses, analysis);
  if (options.infer_atomic) inference_.emplace();
  active_.resize(analyses_.size());
  std::iota(active_.begin(), active_.end(), size_t{0});
}

analysis::AnalysisOptions AnalysisPasses::options_of_analyses() {
  analysis::AnalysisOptions analysis = options_.analysis;
  analysis.allocation_of = [this](LocationId id) { return stream_.allocation_of(id); };
  analysis.memory_of = [this](LocationId id) { return stream_.location(id); };
  if (analysis.statements == nullptr) analysis.statements = &stream_.tables().facts.statements;
  if (!atomic_functions_.is_empty()) {
    analysis.is_atomic_function = [this](FunctionId id) {
      return atomic_functions_.contains(id, stream_.tables().functions[id]);
    };
  }
  return analysis;
}

std::function<bool(double)> AnalysisPasses::goes_on_for(std::string_view name) {
  return [this, name](double fraction) {
    const std::lock_guard guard(finish_mutex_);
    options_.progress(fmt::format("analyze: {}", name), fraction);
    if (!limits_.is_over()) return true;
    if (limits_.is_stopped()) {
      if (!patience_) patience_ = Clock::now() + kInterruptPatience;
      if (Clock::now() < *patience_) return true;
    }
    ended_early_.insert(name);
    return false;
  };
}

Result<void> AnalysisPasses::run() {
  const auto start = Clock::now();
  while (is_unfinished() && !cut_short_) {
    if (auto done = run_pass(); !done) return done;
    finish_pass();
  }
  warn_of_limits();
  report();
  result_.phases.push_back({"read and normalize", seconds_since(start) - analyzing_});
  result_.phases.push_back({"analyze", analyzing_});
  return {};
}

Result<void> AnalysisPasses::run_pass() {
  ++pass_;
  const std::string phase = pass_ == 1 ? "analyze" : fmt::format("analyze, pass {}", pass_);
  auto done =
      for_each_batch(stream_, phase, options_.progress, [&](std::span<const trace::Event> batch) {
        collected_.add(batch);
        if (collected_.is_full()) look_at_collected();
        cut_short_ = limits_.is_over();
        return !cut_short_;
      });
  if (!done) return done;
  look_at_collected();
  // A later pass that is cut short has seen less.
  if (pass_ == 1) {
    result_.trace.events = stream_.raw_events();
    result_.trace.threads = stream_.tables().threads.size();
    result_.trace.locks = stream_.tables().locks.size();
    result_.trace.locations = stream_.location_count();
  }
  if (cut_short_) in_pass_ = active_;
  return {};
}

// The stream does not move meanwhile, so whoever asks it about a location reads only.
void AnalysisPasses::look_at_collected() {
  const auto begin = Clock::now();
  // The longest task first.
  parallel_for(active_.size() + 2, jobs_, [&](size_t task) {
    if (task == 0) {
      if (!sharing_) return;
      for (const trace::Event& e : collected_.events()) sharing_->on_event(e);
      return;
    }
    if (--task == active_.size()) {
      collected_.for_each([&](size_t, std::span<const trace::Event> batch) {
        needed_->on_events(batch);
        if (infers()) static_cast<analysis::Analysis&>(*inference_).on_events(batch);
      });
      return;
    }
    const size_t i = active_[task];
    const auto its_begin = Clock::now();
    collected_.for_each([&](size_t number, std::span<const trace::Event> batch) {
      sinks_[i]->begin_batch(number);
      analyses_[i]->on_events(batch);
    });
    result_.stats[i].seconds += seconds_since(its_begin);
  });
  collected_.for_each([&](size_t number, std::span<const trace::Event>) {
    for (size_t i : active_) sinks_[i]->hand_on(number);
  });
  collected_.clear();
  analyzing_ += seconds_since(begin);
}

void AnalysisPasses::finish_pass() {
  const auto begin = Clock::now();
  if (sharing_) {
    sharing_->finish();
    sharing_.reset();
  }
  if (!active_.empty()) options_.progress(fmt::format("analyze: {}", names_of(active_)), -1);
  parallel_for(active_.size(), jobs_, [&](size_t task) {
    const size_t i = active_[task];
    const auto its_begin = Clock::now();
    analyses_[i]->finish();
    result_.stats[i].seconds += seconds_since(its_begin);
  });
  for (size_t i : active_) sinks_[i]->hand_on(SIZE_MAX);
  analyzing_ += seconds_since(begin);
  std::erase_if(active_, [&](size_t i) { return !analyses_[i]->wants_another_pass(); });
  needed_->finish();
  if (infers()) inference_->finish();
}

void AnalysisPasses::warn_of_limits() {
  if (cut_short_) {
    const std::string unfinished = names_of(active_);
    result_.warn(
        pass_ == 1
            ? fmt::format("{} after {} events; later events were not analyzed{}",
                          options_.why_over(), stream_.raw_events(),
                          unfinished.empty() ? "" : " (unfinished: " + unfinished + ")")
            : fmt::format("{} in pass {} over the trace; unfinished: {}", options_.why_over(),
                          pass_, in_pass_.empty() ? "--infer-atomic" : names_of(in_pass_)),
        ExitCode::cut_short);
  }
  for (const std::string_view name : ended_early_) {
    result_.warn(fmt::format("{}: {} did not look at everything", options_.why_over(), name),
                 ExitCode::cut_short);
  }
}

void AnalysisPasses::report() {
  for (size_t i = 0; i < analyses_.size(); ++i) {
    Counters counters(result_.stats[i], result_.notes);
    if (auto result = needed_->result_for(i, collector_)) analyses_[i]->use(*result);
    analyses_[i]->report_counters(counters);
    const uint64_t harmless = collector_.harmless(static_cast<uint32_t>(i));
    if (harmless > 0) counters.count("declared harmless", harmless);
  }
  if (inference_ && !infers()) result_.inferred = inference_->candidates(stream_.tables());
}

std::string AnalysisPasses::names_of(const std::vector<size_t>& analyses) const {
  std::string names;
  for (size_t i : analyses)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", options_.analyses[i]->name);
  return names;
}

}  // namespace foretell::pipeline
