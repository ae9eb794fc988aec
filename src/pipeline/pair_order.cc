// SPDX-License-Identifier: Apache-2.0

#include "pipeline/pair_order.h"

namespace foretell::pipeline {
namespace {

class ProbeSink final : public analysis::ProposalSink {
 public:
  ProbeSink(LocationId probe, bool& is_race) : probe_(probe), is_race_(is_race) {}
  void propose(finding::Proposal proposal) override {
    is_race_ |= proposal.kind == finding::FindingKind::race && proposal.location == probe_;
  }

 private:
  LocationId probe_;
  bool& is_race_;
};

trace::Event probe_before(const trace::Event& access, LocationId probe) {
  const bool reads =
      access.kind == trace::EventKind::Read || access.kind == trace::EventKind::AtomicRead;
  trace::Event e{.kind = reads ? trace::EventKind::Read : trace::EventKind::Write};
  e.thread = access.thread;
  e.object = static_cast<uint32_t>(to_index(probe));
  e.site = access.site;
  e.index = access.index;
  return e;
}

class ProbedPass {
 public:
  ProbedPass(trace::TraceStream& stream, EventIndex first, EventIndex second, LocationId probe)
      : stream_(stream), indices_{first, second}, probe_(probe) {}

  Result<void> show(analysis::Analysis& analysis) {
    stream_.restart();
    size_t next = 0;
    for (;;) {
      FORETELL_TRY(batch, stream_.next());
      if (batch.empty()) break;
      probed_.clear();
      for (const trace::Event& e : batch) {
        if (next < 2 && e.index == indices_[next] && is_access(e.kind)) {
          probed_.push_back(probe_before(e, probe_));
          ++next;
        }
        probed_.push_back(e);
      }
      analysis.on_events(probed_);
    }
    analysis.finish();
    return {};
  }

 private:
  trace::TraceStream& stream_;
  EventIndex indices_[2];
  LocationId probe_;
  std::vector<trace::Event> probed_;
};

}  // namespace

Result<std::vector<PairOpinion>> opinions_on(
    trace::TraceStream& stream, EventIndex first, EventIndex second,
    std::span<const analysis::AnalysisEntry* const> analyses) {
  // A location that the trace has not: the next one after a whole pass.
  stream.restart();
  for (;;) {
    FORETELL_TRY(batch, stream.next());
    if (batch.empty()) break;
  }
  const auto probe = LocationId{static_cast<uint32_t>(stream.location_count())};

  std::vector<PairOpinion> opinions;
  for (const analysis::AnalysisEntry* entry : analyses) {
    PairOpinion& opinion = opinions.emplace_back(entry);
    ProbeSink sink(probe, opinion.is_race);
    const auto analysis = entry->make({}, sink);
    do {
      auto shown = ProbedPass(stream, first, second, probe).show(*analysis);
      if (!shown) return std::unexpected(std::move(shown).error());
    } while (analysis->wants_another_pass());
  }
  stream.restart();
  return opinions;
}

}  // namespace foretell::pipeline
