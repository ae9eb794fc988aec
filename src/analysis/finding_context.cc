#include "analysis/finding_context.h"

#include <algorithm>
#include <functional>

#include "analysis/described_order.h"

namespace foretell {
namespace {

using EventPair = std::pair<size_t, size_t>;  // places in the finding

// The events whose recorded order kept the finding from showing.
std::vector<EventPair> pairs_of(const Finding& f) {
  std::vector<EventPair> pairs;
  const size_t n = f.events.size();
  auto add = [&](size_t a, size_t b) {
    if (f.events[a].index > f.events[b].index) std::swap(a, b);
    const bool is_known = std::ranges::find(pairs, EventPair(a, b)) != pairs.end();
    if (!is_known && f.events[a].thread != f.events[b].thread) pairs.emplace_back(a, b);
  };
  switch (f.kind) {
    case FindingKind::deadlock:
      for (size_t i = 0; n > 1 && i < n; ++i) add(i, (i + 1) % n);
      break;
    case FindingKind::atomicity:
      if (n < 3) break;
      if (f.events[1].index < f.events[0].index) add(1, 0);
      if (f.events[n - 2].index > f.events[n - 1].index) add(n - 1, n - 2);
      break;
    case FindingKind::nondeterminism:
      if (n > 1) add(0, 1);
      break;
    case FindingKind::race:
    case FindingKind::property:
      break;
  }
  return pairs;
}

Result<void> for_each_batch(TraceStream& stream,
                            const std::function<void(std::span<const Event>)>& show) {
  stream.restart();
  for (;;) {
    FORETELL_TRY(batch, stream.next());
    if (batch.empty()) return {};
    show(batch);
  }
}

// Whether one of the proposals is the finding.
class OpinionSink final : public ProposalSink {
 public:
  OpinionSink(const Finding& finding, const std::vector<EventRef>& events,
              const TraceTables& tables)
      : finding_(finding), sides_(sides_of(events)), tables_(tables) {}

  void propose(const RaceProposal&) override {}
  void propose_other(Proposal proposal) override {
    if (proposal.kind != finding_.kind) return;
    const bool is_same = proposal.kind == FindingKind::atomicity
                             ? is_same_block(proposal)
                             : sides_of(proposal.events) == sides_;
    proposes = proposes || is_same;
  }

  bool proposes = false;

 private:
  static std::vector<uint64_t> sides_of(const std::vector<EventRef>& events) {
    const bool sites =
        std::ranges::none_of(events, [](const EventRef& e) { return e.site == kNoSite; });
    std::vector<uint64_t> sides;
    for (const EventRef& e : events) sides.push_back(sites ? to_index(e.site) : to_index(e.index));
    std::ranges::sort(sides);
    return sides;
  }

  bool is_same_block(const Proposal& proposal) const {
    const BlockName& block = proposal.blocks.back();
    return finding_.blocks.back() == (block.kind == BlockName::Kind::label
                                          ? tables_.labels[LabelId{block.id}]
                                          : tables_.functions[FunctionId{block.id}]);
  }

  const Finding& finding_;
  std::vector<uint64_t> sides_;
  const TraceTables& tables_;
};

Result<std::vector<FindingOpinion>> opinions_on(TraceStream& stream, const Finding& finding,
                                                const std::vector<EventRef>& events) {
  AnalysisOptions options;
  options.allocation_of = [&](LocationId id) { return stream.allocation_of(id); };
  options.is_atomic_function = [&](FunctionId id) {
    return std::ranges::find(finding.blocks, stream.tables().functions[id]) != finding.blocks.end();
  };
  std::vector<FindingOpinion> opinions;
  for (const AnalysisEntry& entry : all_analyses()) {
    if (entry.kind != finding.kind) continue;
    OpinionSink sink(finding, events, stream.tables());
    const auto analysis = entry.make(options, sink);
    do {
      auto shown = for_each_batch(stream, [&](auto batch) { analysis->on_events(batch); });
      if (!shown) return std::unexpected(std::move(shown).error());
      analysis->finish();
    } while (analysis->wants_another_pass());
    opinions.push_back({&entry, sink.proposes});
  }
  return opinions;
}

}  // namespace

Result<FindingContext> context_of(TraceStream& stream, const Finding& finding) {
  FindingContext context;
  const std::vector<EventPair> pairs = pairs_of(finding);
  std::vector<OrderWatch> watches;
  for (auto [a, b] : pairs) {
    watches.emplace_back(finding.events[a].index, finding.events[b].index);
  }
  std::vector<EventRef> events(finding.events.size());
  auto watched = for_each_batch(stream, [&](std::span<const Event> batch) {
    for (OrderWatch& watch : watches) watch.on_events(batch);
    for (const Event& e : batch) {
      for (size_t i = 0; i < events.size(); ++i) {
        if (finding.events[i].index == e.index) events[i] = EventRef::of(e);
      }
    }
  });
  if (!watched) return std::unexpected(std::move(watched).error());

  EventDescriber describer(stream.tables(),
                           [&](LocationId id) { return stream.location_name(id); });
  for (const OrderWatch& watch : watches) {
    for (const OrderWatch::Edge& edge : watch.path()) {
      describer.want(edge.from);
      describer.want(edge.to);
    }
  }
  auto described = for_each_batch(stream, [&](auto batch) { describer.on_events(batch); });
  if (!described) return std::unexpected(std::move(described).error());
  for (size_t i = 0; i < pairs.size(); ++i) {
    context.orders.push_back(
        {pairs[i].first, pairs[i].second,
         described_order(watches[i], finding.witness, describer, stream.tables())});
  }

  FORETELL_TRY(opinions, opinions_on(stream, finding, events));
  context.opinions = std::move(opinions);
  stream.restart();
  return context;
}

}  // namespace foretell
