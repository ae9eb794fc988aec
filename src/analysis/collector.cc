#include "analysis/collector.h"

#include <algorithm>
#include <utility>

namespace foretell {

class ProposalCollector::Sink final : public ProposalSink {
 public:
  Sink(ProposalCollector& collector, uint32_t analysis, bool judged)
      : collector_(collector), analysis_(analysis), judged_(judged) {}
  void propose(const RaceProposal& race) override { collector_.add(analysis_, judged_, race); }

 private:
  ProposalCollector& collector_;
  uint32_t analysis_;
  bool judged_;
};

ProposalCollector::ProposalCollector(bool every_pair, Filter is_harmless)
    : every_pair_(every_pair), is_harmless_(std::move(is_harmless)) {}
ProposalCollector::~ProposalCollector() = default;

ProposalSink& ProposalCollector::sink(uint32_t analysis, bool judged) {
  return *sinks_.emplace_back(std::make_unique<Sink>(*this, analysis, judged));
}

ProposalCollector::Key ProposalCollector::key_of(const RaceProposal& race) const {
  if (every_pair_) {
    return {to_index(race.first.index), to_index(race.second.index), to_index(race.location)};
  }
  const bool sites = race.first.site != kNoSite && race.second.site != kNoSite;
  auto side = [&](const EventRef& e) -> uint64_t {
    return sites ? to_index(e.site) : to_index(e.thread) << 8 | to_index(e.kind);
  };
  auto [low, high] = std::minmax({side(race.first), side(race.second)});
  // The top bit keeps the two kinds of keys apart.
  return {low, high, sites ? uint64_t{1} << 63 : to_index(race.location)};
}

uint64_t ProposalCollector::harmless(uint32_t analysis) const {
  return analysis < harmless_.size() ? harmless_[analysis] : 0;
}

void ProposalCollector::add(uint32_t analysis, bool judged, const RaceProposal& race) {
  if (is_harmless_ && is_harmless_(race)) {
    if (analysis >= harmless_.size()) harmless_.resize(analysis + 1);
    ++harmless_[analysis];
    return;
  }
  const Key key = key_of(race);
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
  if (group.candidates.size() == kMostCandidates) return;
  auto same_pair = [&](const RaceProposal& other) {
    return other.first.index == race.first.index && other.second.index == race.second.index;
  };
  if (std::ranges::none_of(group.candidates, same_pair)) group.candidates.push_back(race);
}

}  // namespace foretell
