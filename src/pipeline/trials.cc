// SPDX-License-Identifier: Apache-2.0

#include "pipeline/trials.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "analysis/determinism/exact/nondeterminism.h"
#include "analysis/race/predictable/predictable.h"

namespace foretell::pipeline {
namespace {

constexpr size_t kMostJudged = 64;

using Sites = std::pair<SiteId, SiteId>;

Sites sites_of(const finding::Proposal& race) {
  return std::minmax(race.events[0].site, race.events[1].site);
}

class Proposals final : public analysis::ProposalSink {
 public:
  void propose(finding::Proposal proposal) override {
    if (known.insert(sites_of(proposal)).second) list.push_back(std::move(proposal));
  }

  std::vector<finding::Proposal> list;
  absl::flat_hash_set<Sites> known;
};

bool can_be_tried(const Ruling& ruling) {
  return ruling.is_judged() && ruling.is_examined && !ruling.witness && !ruling.unordered &&
         (ruling.is_race() || ruling.proposal.kind == finding::FindingKind::deadlock);
}

// Plain reads become steps that mean nothing, but for those in `kept`.
trace::Trace without_reads(const trace::Trace& trace, const absl::flat_hash_set<EventIndex>& kept) {
  trace::Trace unread = trace;
  for (trace::Event& e : unread.events) {
    if (e.kind != trace::EventKind::Read || kept.contains(e.index)) continue;
    e.kind = trace::EventKind::Branch;
    e.object = 0;
    e.flags = 0;
    e.value = e.extra = 0;
  }
  return unread;
}

void propose_races_of_writes(const trace::Trace& unread, const analysis::AnalysisOptions& options,
                             Proposals& proposals) {
  const auto predictable = std::make_unique<analysis::Predictable>(options, proposals);
  analysis::Analysis& it = *predictable;
  do {
    it.on_events(unread.events);
    it.finish();
  } while (it.wants_another_pass());
}

std::optional<Trial> trial_of(const judge::Judge& judge, const finding::Proposal& proposal) {
  ProposalGroup group;
  group.candidates = {proposal};
  group.judged_by = 1;
  Ruling ruling;
  ruling.group = &group;
  ruling.proposal = proposal;
  judge_candidate(judge, proposal, false, ruling);
  if (!ruling.witness) return {};
  return Trial{proposal, *std::move(ruling.witness), ruling.recorded_write};
}

// Reads and what they can return, those that are the first of their places before the others.
class OtherValues final : public analysis::ProposalSink {
 public:
  void propose(finding::Proposal proposal) override {
    const SiteId writer = proposal.events.size() > 1 ? proposal.events[1].site : kNoSite;
    const uint32_t turn = turns_[{proposal.events[0].site, writer}]++;
    by_turn_[std::min<size_t>(turn, by_turn_.size() - 1)].push_back(std::move(proposal));
  }

  std::vector<finding::Proposal> in_order() && {
    std::vector<finding::Proposal> all;
    for (std::vector<finding::Proposal>& some : by_turn_) {
      std::ranges::move(some, std::back_inserter(all));
    }
    return all;
  }

 private:
  absl::flat_hash_map<Sites, uint32_t> turns_;
  std::array<std::vector<finding::Proposal>, analysis::Nondeterminism::kMostOfSites> by_turn_;
};

}  // namespace

std::vector<Trial> find_trials(const trace::Trace& trace, const std::vector<Ruling>& rulings,
                               const analysis::AnalysisOptions& analysis,
                               const JudgingOptions& options) {
  if (trace.events.size() > kMostEventsForTrials || options.is_over()) return {};
  std::vector<finding::Proposal> candidates;
  absl::flat_hash_set<EventIndex> kept;
  Proposals races;
  // Deadlocks first: there are few of them, and they are worth more.
  for (const bool deadlocks : {true, false}) {
    for (const Ruling& ruling : rulings) {
      if (!can_be_tried(ruling) || ruling.is_race() == deadlocks) continue;
      candidates.push_back(ruling.proposal);
      for (const finding::EventRef& e : ruling.proposal.events) kept.insert(e.index);
    }
  }
  for (const Ruling& ruling : rulings) {
    if (ruling.is_race()) races.known.insert(sites_of(ruling.proposal));
  }
  const trace::Trace unread = without_reads(trace, kept);
  propose_races_of_writes(unread, analysis, races);
  std::ranges::move(races.list, std::back_inserter(candidates));
  if (candidates.empty()) return {};

  const judge::Judge judge(unread, options.judge);
  std::vector<Trial> trials;
  for (size_t i = 0; i < std::min(candidates.size(), kMostJudged); ++i) {
    if (trials.size() == kMostTrials || options.is_over()) break;
    if (auto trial = trial_of(judge, candidates[i])) trials.push_back(*std::move(trial));
  }
  return trials;
}

std::vector<Trial> find_read_trials(const trace::Trace& trace,
                                    const analysis::AnalysisOptions& analysis,
                                    const JudgingOptions& options) {
  using Clock = std::chrono::steady_clock;
  if (trace.events.size() > kMostEventsForReadTrials || options.is_over()) return {};
  constexpr auto kPatience = std::chrono::milliseconds(500);
  const Clock::time_point deadline = Clock::now() + kPatience;
  const auto is_over = [&] { return options.is_over() || Clock::now() >= deadline; };
  analysis::AnalysisOptions brief = analysis;
  brief.goes_on = [&](double) { return !is_over(); };
  OtherValues values;
  const auto reads = std::make_unique<analysis::OtherReads>(brief, values);
  analysis::Analysis& it = *reads;
  it.on_events(trace.events);
  it.finish();
  const std::vector<finding::Proposal> candidates = std::move(values).in_order();
  if (candidates.empty()) return {};

  const judge::Judge judge(trace, options.judge);
  std::vector<Trial> trials;
  for (const finding::Proposal& candidate : candidates) {
    if (trials.size() == kMostReadTrials || is_over()) break;
    if (auto trial = trial_of(judge, candidate)) trials.push_back(*std::move(trial));
  }
  return trials;
}

}  // namespace foretell::pipeline
