// SPDX-License-Identifier: Apache-2.0

#include "pipeline/trials.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <utility>

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

std::optional<finding::Witness> witness_of(const judge::Judge& judge,
                                           const finding::Proposal& proposal) {
  ProposalGroup group;
  group.candidates = {proposal};
  group.judged_by = 1;
  Ruling ruling;
  ruling.group = &group;
  ruling.proposal = proposal;
  judge_candidate(judge, proposal, false, ruling);
  return std::move(ruling.witness);
}

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
    if (auto witness = witness_of(judge, candidates[i])) {
      trials.push_back({std::move(candidates[i]), *std::move(witness)});
    }
  }
  return trials;
}

}  // namespace foretell::pipeline
