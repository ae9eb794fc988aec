// SPDX-License-Identifier: Apache-2.0

#include "pipeline/collector.h"

#include <gtest/gtest.h>

namespace foretell::pipeline {
namespace {

finding::Proposal race_at(uint64_t first, uint64_t second, SiteId first_site = kNoSite,
                          SiteId second_site = kNoSite, uint32_t location = 0) {
  return finding::Proposal::race(
      LocationId{location}, {EventIndex{first}, ThreadId{1}, trace::EventKind::Write, first_site},
      {EventIndex{second}, ThreadId{2}, trace::EventKind::Write, second_site});
}

TEST(ProposalCollector, OneGroupPerPairOfSitesInEitherOrder) {
  ProposalCollector collector(false);
  analysis::ProposalSink& sink = collector.sink(0, {.judged = true});
  sink.propose(race_at(0, 1, SiteId{3}, SiteId{4}));
  sink.propose(race_at(5, 6, SiteId{4}, SiteId{3}, 9));
  ASSERT_EQ(collector.groups().size(), 1u);
  EXPECT_EQ(collector.groups()[0].proposals, 2u);
  EXPECT_EQ(collector.groups()[0].candidates.size(), 2u);
}

TEST(ProposalCollector, WithoutSitesLocationsStayApart) {
  ProposalCollector collector(false);
  analysis::ProposalSink& sink = collector.sink(0, {.judged = true});
  sink.propose(race_at(0, 1));
  sink.propose(race_at(2, 3));
  sink.propose(race_at(4, 5, kNoSite, kNoSite, 1));
  EXPECT_EQ(collector.groups().size(), 2u);
}

TEST(ProposalCollector, EveryPairIsItsOwnGroupOnRequest) {
  ProposalCollector collector(true);
  analysis::ProposalSink& sink = collector.sink(0, {.judged = true});
  sink.propose(race_at(0, 1, SiteId{3}, SiteId{4}));
  sink.propose(race_at(5, 6, SiteId{3}, SiteId{4}));
  EXPECT_EQ(collector.groups().size(), 2u);
}

TEST(ProposalCollector, RemembersWhoProposedAndWhoseWordIsJudged) {
  ProposalCollector collector(false);
  analysis::ProposalSink& judged = collector.sink(0, {.judged = true});
  analysis::ProposalSink& unjudged = collector.sink(1, {.judged = false});
  unjudged.propose(race_at(0, 1));
  judged.propose(race_at(0, 1));
  EXPECT_EQ(collector.groups()[0].analyses, 0b11u);
  EXPECT_EQ(collector.groups()[0].judged_by, 0b01u);
  EXPECT_EQ(collector.groups()[0].proposals, 1u);
  EXPECT_EQ(collector.groups()[0].candidates.size(), 1u);
}

TEST(ProposalCollector, KeepsAFewCandidatesOnly) {
  ProposalCollector collector(false);
  analysis::ProposalSink& sink = collector.sink(0, {.judged = true});
  for (uint64_t i = 0; i < 100; ++i) sink.propose(race_at(2 * i, 2 * i + 1));
  EXPECT_EQ(collector.groups()[0].candidates.size(), ProposalCollector::kMostCandidates);
  EXPECT_EQ(collector.groups()[0].proposals, 100u);
}

}  // namespace
}  // namespace foretell::pipeline
