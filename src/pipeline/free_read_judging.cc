// SPDX-License-Identifier: Apache-2.0

#include "pipeline/free_read_judging.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include "judge/free_reads.h"
#include "pipeline/goals.h"

namespace foretell::pipeline {
namespace {

// Each set of free reads costs another index of the trace.
constexpr size_t kMostEventsForFreeReads = 200'000;

bool can_need_free_reads(const Ruling& ruling) {
  return ruling.is_refuted() && ruling.is_examined && !ruling.witness &&
         (ruling.is_race() || ruling.proposal.kind == finding::FindingKind::deadlock);
}

class FreeReadJudging {
 public:
  FreeReadJudging(const trace::Trace& trace, const std::vector<trace::StatementFacts>& statements,
                  const std::vector<SiteId>& contained, const JudgingOptions& options)
      : trace_(trace),
        options_(options),
        strict_(trace),
        reads_(trace, strict_.facts().partner, statements, contained) {}

  void judge(Ruling& ruling) {
    if (reads_.is_empty()) return;
    for (const finding::Proposal& candidate : ruling.group->candidates) {
      if (options_.is_over()) return;
      for (const judge::Goal& goal : goals_of(strict_, candidate)) {
        const judge::Judge* free = judge_for(goal);
        if (free == nullptr) continue;
        Ruling tried;
        tried.group = ruling.group;
        judge_candidate(*free, candidate, false, tried);
        if (!tried.witness || tried.reads != trace::ReadDemand::free) continue;
        ruling.proposal = candidate;
        ruling.outcome = judge::JudgeOutcome::witness;
        ruling.witness = std::move(tried.witness);
        ruling.reads = trace::ReadDemand::free;
        ruling.reason = reason_of(*ruling.witness);
        return;
      }
    }
  }

 private:
  // Null if none of the reads is free. Most goals leave the same reads free.
  const judge::Judge* judge_for(const judge::Goal& goal) {
    std::vector<bool> free = reads_.free_for(goal.events);
    if (free.empty()) return nullptr;
    if (judge_ == nullptr || free != free_) {
      free_ = std::move(free);
      judge::JudgeOptions options = options_.judge;
      options.reads = {.demand = trace::ReadDemand::free,
                       .is_free = [this](judge::Position p) { return free_[p]; }};
      judge_ = std::make_unique<judge::Judge>(trace_, std::move(options));
    }
    return judge_.get();
  }

  // What the finding rests on: the free reads of the part that was rebuilt.
  std::string reason_of(const finding::Witness& witness) const {
    const std::set<EventIndex> rebuilt(witness.steps.begin(), witness.steps.end());
    std::set<std::string> places;
    for (judge::Position p = 0; p < trace_.events.size(); ++p) {
      const trace::Event& e = trace_.events[p];
      if (!free_[p] || !rebuilt.contains(e.index)) continue;
      places.insert(fmt::format("'{}' at {}", trace_.location_name(e.location()),
                                trace_.tables.site_name(e.site)));
    }
    constexpr size_t kMostShown = 4;
    const bool all = places.size() <= kMostShown;
    while (places.size() > kMostShown) places.erase(std::prev(places.end()));
    return fmt::format(
        "reads may have to return other values ({}{}), and by what is known of the code it does "
        "not depend on them",
        fmt::join(places, ", "), all ? "" : ", ...");
  }

  const trace::Trace& trace_;
  const JudgingOptions& options_;
  const judge::Judge strict_;
  const judge::FreeReads reads_;
  std::vector<bool> free_;  // of the judge
  std::unique_ptr<judge::Judge> judge_;
};

}  // namespace

void judge_free_reads(const trace::Trace& trace, std::vector<Ruling>& rulings,
                      const std::vector<trace::StatementFacts>& statements,
                      const std::vector<SiteId>& contained, const JudgingOptions& options) {
  if (contained.empty() || trace.events.size() > kMostEventsForFreeReads ||
      std::ranges::none_of(rulings, can_need_free_reads)) {
    return;
  }
  FreeReadJudging judging(trace, statements, contained, options);
  for (Ruling& ruling : rulings) {
    if (options.is_over()) return;
    if (can_need_free_reads(ruling)) judging.judge(ruling);
  }
}

}  // namespace foretell::pipeline
