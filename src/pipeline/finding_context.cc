#include "pipeline/finding_context.h"

#include <algorithm>
#include <functional>

#include "pipeline/described_order.h"

namespace foretell {
namespace {

using EventPair = std::pair<const DescribedEvent*, const DescribedEvent*>;

// The events whose recorded order kept the finding from showing.
std::vector<EventPair> pairs_of(const Finding& f) {
  std::vector<EventPair> pairs;
  const std::vector<DescribedEvent>& events = f.events;
  const size_t n = events.size();
  auto add = [&](const DescribedEvent& one, const DescribedEvent& other) {
    const EventPair pair =
        one.index < other.index ? EventPair(&one, &other) : EventPair(&other, &one);
    const bool is_known = std::ranges::find(pairs, pair) != pairs.end();
    if (!is_known && one.thread != other.thread) pairs.push_back(pair);
  };
  switch (f.kind) {
    case FindingKind::deadlock:
      for (size_t i = 0; n > 1 && i < n; ++i) add(events[i], events[(i + 1) % n]);
      break;
    case FindingKind::atomicity:
      if (n < 3) break;
      if (events[1].index < events[0].index) add(events[1], events[0]);
      if (events[n - 2].index > events[n - 1].index) add(events[n - 1], events[n - 2]);
      break;
    case FindingKind::nondeterminism: {
      // A write that came before the one that was read, or after the read.
      const bool was_overwritten = n > 1 && events[1].index < events[0].index;
      if (n > 1 && !was_overwritten) add(events[0], events[1]);
      if (f.recorded.path.empty()) break;
      const DescribedEvent& writer = f.recorded.path[0].from;
      if (was_overwritten) add(events[1], writer);
      if (n == 1) add(writer, events[0]);
      break;
    }
    case FindingKind::race:
    case FindingKind::property:
      break;
  }
  return pairs;
}

// Two acquires of one lock: who had it first is all that ordered them.
bool take_the_same(const DescribedEvent& a, const DescribedEvent& b) {
  auto takes = [](const DescribedEvent& e) {
    return e.operation == "acq" || e.operation == "sacq";
  };
  return takes(a) && takes(b) && a.object == b.object;
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

  void propose(Proposal proposal) override {
    if (proposal.kind != finding_.kind || proposal.kind == FindingKind::race) return;
    const bool is_same = proposal.kind == FindingKind::atomicity
                             ? is_same_block(proposal)
                             : sides_of(proposal.events) == sides_;
    proposes = proposes || is_same;
  }

  bool proposes = false;

 private:
  static std::vector<uint64_t> sides_of(std::span<const EventRef> events) {
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
  for (auto [a, b] : pairs) watches.emplace_back(a->index, b->index);
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
    const auto [a, b] = pairs[i];
    RecordedOrder order = described_order(watches[i], finding.witness, describer, stream.tables());
    if (order.kind == RecordedOrder::Kind::unordered && take_the_same(*a, *b)) {
      order.kind = RecordedOrder::Kind::ordered;
      order.path = {
          {.from = *a, .to = *b, .lock = a->object, .is_broken = finding.witness.has_value()}};
    }
    context.orders.push_back({*a, *b, std::move(order)});
  }

  FORETELL_TRY(opinions, opinions_on(stream, finding, events));
  context.opinions = std::move(opinions);
  stream.restart();
  return context;
}

}  // namespace foretell
