// SPDX-License-Identifier: Apache-2.0

#include "pipeline/collector.h"

#include <absl/hash/hash.h>

#include <algorithm>
#include <utility>

namespace foretell::pipeline {

uint64_t ProposalCollector::side_of(const finding::EventRef& e, bool sites) const {
  if (every_pair_) return to_index(e.index);
  return sites ? to_index(e.site) : to_index(e.thread) << 8 | to_index(e.kind);
}

ProposalCollector::Key ProposalCollector::key_of_race(const finding::Proposal& race) const {
  const finding::EventRef &first = race.events[0], &second = race.events[1];
  const bool sites = first.site != kNoSite && second.site != kNoSite;
  auto [low, high] = std::minmax({side_of(first, sites), side_of(second, sites)});
  const bool by_location = every_pair_ || !sites;
  return {static_cast<uint64_t>(finding::FindingKind::race), low, high,
          by_location ? to_index(race.location) : UINT64_MAX};
}

ProposalCollector::Key ProposalCollector::key_of(const finding::Proposal& proposal) const {
  if (proposal.kind == finding::FindingKind::race) return key_of_race(proposal);
  const bool sites = std::ranges::none_of(
      proposal.events, [](const finding::EventRef& e) { return e.site == kNoSite; });
  std::vector<uint64_t> sides;
  for (const finding::EventRef& e : proposal.events) {
    sides.push_back(sites ? side_of(e, sites) : to_index(e.index));
  }
  // Where a cycle begins says nothing.
  if (proposal.kind == finding::FindingKind::deadlock) std::ranges::sort(sides);
  Key key = {static_cast<uint64_t>(proposal.kind) | proposal.events.size() << 8};
  // The same places in different blocks are different mistakes.
  if (proposal.kind == finding::FindingKind::atomicity) {
    for (const finding::BlockName& block : proposal.blocks) key[0] = absl::HashOf(key[0], block);
  }
  for (size_t i = 0; i < sides.size(); ++i) {
    uint64_t& place = key[std::min(i + 1, key.size() - 1)];
    place = i + 1 < key.size() ? sides[i] : absl::HashOf(place, sides[i]);
  }
  return key;
}

bool ProposalCollector::is_harmless(uint32_t analysis, const finding::Proposal& proposal) {
  if (proposal.kind != finding::FindingKind::race || !is_harmless_ || !is_harmless_(proposal))
    return false;
  if (analysis >= harmless_.size()) harmless_.resize(analysis + 1);
  ++harmless_[analysis];
  return true;
}

uint64_t ProposalCollector::harmless(uint32_t analysis) const {
  return analysis < harmless_.size() ? harmless_[analysis] : 0;
}

void ProposalCollector::add(uint32_t analysis, bool judged, finding::Proposal proposal) {
  if (is_harmless(analysis, proposal)) return;
  const Key key = key_of(proposal);
  auto it = index_.find(key);
  if (it == index_.end()) {
    if (groups_.size() == kMostGroups) {
      ++dropped_;
      return;
    }
    it = index_.emplace(key, groups_.size()).first;
    groups_.emplace_back().first_analysis = analysis;
  }
  ProposalGroup& group = groups_[it->second];
  // Several analyses that see the same race do not make it happen more often.
  if (analysis == group.first_analysis) ++group.proposals;
  group.analyses |= 1u << analysis;
  if (judged) group.judged_by |= 1u << analysis;
  if (group.kept.size() <= analysis) group.kept.resize(analysis + 1);
  if (group.kept[analysis] == kMostCandidates) {
    group.left_out = true;
    return;
  }
  auto same = [&](const finding::Proposal& other) {
    return std::ranges::equal(other.events, proposal.events, {}, &finding::EventRef::index,
                              &finding::EventRef::index);
  };
  if (const auto it_is = std::ranges::find_if(group.candidates, same);
      it_is != group.candidates.end()) {
    it_is->is_unordered |= proposal.is_unordered;
    return;
  }
  ++group.kept[analysis];
  group.candidates.push_back(std::move(proposal));
}

class ProposalCollector::Sink final : public analysis::ProposalSink {
 public:
  Sink(ProposalCollector& collector, uint32_t analysis, const SinkOptions& options)
      : collector_(collector),
        analysis_(analysis),
        judged_(options.judged),
        observed_(options.observed) {}
  void propose(finding::Proposal proposal) override {
    proposal.is_unordered = observed_;
    collector_.add(analysis_, judged_, std::move(proposal));
  }

 private:
  ProposalCollector& collector_;
  uint32_t analysis_;
  bool judged_;
  bool observed_;
};

ProposalCollector::ProposalCollector(bool every_pair, Filter is_harmless)
    : every_pair_(every_pair), is_harmless_(std::move(is_harmless)) {}
ProposalCollector::~ProposalCollector() = default;

analysis::ProposalSink& ProposalCollector::sink(uint32_t analysis, SinkOptions options) {
  return *sinks_.emplace_back(std::make_unique<Sink>(*this, analysis, options));
}

}  // namespace foretell::pipeline
