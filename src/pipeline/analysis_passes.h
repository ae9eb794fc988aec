// SPDX-License-Identifier: Apache-2.0

// AnalysisPasses: feeds a trace to all selected analyses, in as many passes as they ask for.
//
// The events of a pass are collected until there is work for several processors, and then each
// analysis looks at them on its own. What they propose is handed on in the order of the events, so
// the number of processors changes nothing.
#pragma once

#include <memory>
#include <mutex>
#include <set>

#include "analysis/atomicity/function_choice.h"
#include "analysis/atomicity/inference/inference.h"
#include "pipeline/buffered_sink.h"
#include "pipeline/collector.h"
#include "pipeline/driver.h"
#include "pipeline/judging.h"
#include "pipeline/needed_analyses.h"

namespace foretell::pipeline {

class AnalysisPasses {
 public:
  // Collects proposals in `collector`, and statistics, notes and warnings in `result`.
  AnalysisPasses(trace::TraceStream& stream, const DriverOptions& options,
                 const JudgingOptions& limits, analysis::FunctionChoice& atomic_functions,
                 ProposalCollector& collector, finding::AnalysisResult& result);

  Result<void> run();

 private:
  using Clock = std::chrono::steady_clock;

  // Some batches of a pass, for several analyses at once.
  class Batches {
   public:
    void add(std::span<const trace::Event> batch);
    // Enough work that starting threads for it costs nothing.
    bool is_full() const { return events_.size() >= size_t{1} << 16; }
    std::span<const trace::Event> events() const { return events_; }
    void for_each(
        const std::function<void(size_t number, std::span<const trace::Event>)>& handle) const;
    void clear();

   private:
    std::vector<trace::Event> events_;
    std::vector<size_t> ends_;
  };

  analysis::AnalysisOptions options_of_analyses();
  std::function<bool(double)> goes_on_for(std::string_view name);
  bool infers() { return inference_ && inference_->wants_another_pass(); }
  bool is_unfinished() { return !active_.empty() || needed_->wants_another_pass() || infers(); }
  Result<void> run_pass();
  void look_at_collected();
  void finish_pass();
  void report();
  void warn_of_limits();
  std::string names_of(const std::vector<size_t>& analyses) const;

  trace::TraceStream& stream_;
  const DriverOptions& options_;
  const JudgingOptions& limits_;
  analysis::FunctionChoice& atomic_functions_;
  ProposalCollector& collector_;
  finding::AnalysisResult& result_;

  std::vector<std::unique_ptr<analysis::Analysis>> analyses_;
  std::vector<std::unique_ptr<BufferedSink>> sinks_;  // by analysis
  std::shared_ptr<analysis::Sharing> sharing_;        // in the first pass, if anybody wants it
  std::optional<NeededAnalyses> needed_;
  std::optional<analysis::AtomicInference> inference_;
  std::vector<size_t> active_;  // those that want to see this pass
  Batches collected_;
  unsigned jobs_;
  size_t pass_ = 0;
  bool cut_short_ = false;
  std::vector<size_t> in_pass_;  // who was in the middle of one when it was cut short
  double analyzing_ = 0;         // seconds

  std::mutex finish_mutex_;                    // of the next two, and of what is shown
  std::set<std::string_view> ended_early_;     // in finish()
  std::optional<Clock::time_point> patience_;  // of who has interrupted
};

}  // namespace foretell::pipeline
