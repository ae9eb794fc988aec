// SPDX-License-Identifier: Apache-2.0

#include "pipeline/value_races.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "analysis/race/predictable/predictable.h"
#include "base/dense_table.h"
#include "judge/read_values.h"

namespace foretell::pipeline {
namespace {

class Races final : public analysis::ProposalSink {
 public:
  explicit Races(size_t most) : most_(most) {}

  void propose(finding::Proposal proposal) override {
    if (list.size() == most_) return;
    const finding::EventRef &a = proposal.events[0], &b = proposal.events[1];
    const bool sites = a.site != kNoSite && b.site != kNoSite;
    // One pair of many stands for the others, but the judge may refute one and not the next.
    constexpr uint32_t kPairsOfSites = 4;
    if (sites && ++pairs_[std::minmax(a.site, b.site)] > kPairsOfSites) return;
    list.push_back(std::move(proposal));
  }

  std::vector<finding::Proposal> list;

 private:
  const size_t most_;
  absl::flat_hash_map<std::pair<SiteId, SiteId>, uint32_t> pairs_;
};

absl::flat_hash_set<EventIndex> flexible_reads(const trace::Trace& trace) {
  DenseTable<judge::Position, LocationId> last_write;  // one more than its position
  std::vector<judge::Position> writers(trace.events.size(), judge::kNoPosition);
  for (judge::Position p = 0; p < trace.events.size(); ++p) {
    const trace::Event& e = trace.events[p];
    if (!is_access(e.kind)) continue;
    judge::Position& last = last_write[e.location()];
    if (is_read(e.kind) && last > 0) writers[p] = last - 1;
    if (is_write(e.kind)) last = p + 1;
  }
  const judge::ReadValues values(trace, writers, last_write.size(),
                                 {.demand = trace::ReadDemand::same_value});
  absl::flat_hash_set<EventIndex> reads;
  if (!values.is_any_flexible()) return reads;
  for (judge::Position p = 0; p < trace.events.size(); ++p) {
    const trace::Event& e = trace.events[p];
    if (is_read(e.kind) && !values.keeps_writer(p)) reads.insert(e.index);
  }
  return reads;
}

}  // namespace

std::vector<finding::Proposal> value_races(const trace::Trace& trace,
                                           const analysis::AnalysisOptions& options, size_t most) {
  if (trace.events.size() > kMostEventsForValueRaces) return {};
  const absl::flat_hash_set<EventIndex> flexible = flexible_reads(trace);
  if (flexible.empty()) return {};
  analysis::AnalysisOptions weaker = options;
  weaker.may_read_another = [&](const trace::Event& e) { return flexible.contains(e.index); };
  Races races(most);
  analysis::Predictable predictable(weaker, races);
  analysis::Analysis& it = predictable;
  do {
    it.on_events(trace.events);
    it.finish();
  } while (it.wants_another_pass());
  return std::move(races.list);
}

}  // namespace foretell::pipeline
