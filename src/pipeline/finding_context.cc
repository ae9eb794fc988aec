// SPDX-License-Identifier: Apache-2.0

#include "pipeline/finding_context.h"

#include <algorithm>
#include <functional>

#include "pipeline/described_order.h"

namespace foretell::pipeline {
namespace {

using EventPair = std::pair<const finding::DescribedEvent*, const finding::DescribedEvent*>;

// Pairs of events of two threads, each in recorded order and once.
class Pairs {
 public:
  void add(const finding::DescribedEvent& one, const finding::DescribedEvent& other) {
    const EventPair pair =
        one.index < other.index ? EventPair(&one, &other) : EventPair(&other, &one);
    const bool is_known = std::ranges::find(all_, pair) != all_.end();
    if (!is_known && one.thread != other.thread) all_.push_back(pair);
  }
  std::vector<EventPair> take() { return std::move(all_); }

 private:
  std::vector<EventPair> all_;
};

using Events = std::vector<finding::DescribedEvent>;

// A race has its order with it (RaceFinding::recorded).
void add_pairs(const Events&, const finding::RaceFinding&, Pairs&) {}

void add_pairs(const Events& events, const finding::DeadlockFinding&, Pairs& pairs) {
  const size_t n = events.size();
  for (size_t i = 0; n > 1 && i < n; ++i) pairs.add(events[i], events[(i + 1) % n]);
}

void add_pairs(const Events& events, const finding::AtomicityFinding&, Pairs& pairs) {
  const size_t n = events.size();
  if (n < 3) return;
  if (events[1].index < events[0].index) pairs.add(events[1], events[0]);
  if (events[n - 2].index > events[n - 1].index) pairs.add(events[n - 1], events[n - 2]);
}

void add_pairs(const Events& events, const finding::NondeterminismFinding& read, Pairs& pairs) {
  // A write that came before the one that was read, or after the read.
  const bool has_other = events.size() > 1;
  const bool was_overwritten = has_other && events[1].index < events[0].index;
  if (has_other && !was_overwritten) pairs.add(events[0], events[1]);
  if (!read.seen_write) return;
  if (was_overwritten) pairs.add(events[1], *read.seen_write);
  if (!has_other) pairs.add(*read.seen_write, events[0]);
}

void add_pairs(const Events&, const finding::PropertyFinding&, Pairs&) {}
void add_pairs(const Events&, const finding::MisuseFinding&, Pairs&) {}

// The events whose recorded order kept the finding from showing.
std::vector<EventPair> pairs_of(const finding::Finding& f) {
  Pairs pairs;
  std::visit([&](const auto& details) { add_pairs(f.events, details, pairs); }, f.details);
  return pairs.take();
}

// Two acquires of one lock: who had it first is all that ordered them.
bool take_the_same(const finding::DescribedEvent& a, const finding::DescribedEvent& b) {
  auto takes = [](const finding::DescribedEvent& e) {
    return e.operation == trace::EventKind::Acquire ||
           e.operation == trace::EventKind::AcquireShared;
  };
  return takes(a) && takes(b) && a.object == b.object;
}

Result<void> for_each_batch(trace::TraceStream& stream,
                            const std::function<void(std::span<const trace::Event>)>& show) {
  stream.restart();
  for (;;) {
    FORETELL_TRY(batch, stream.next());
    if (batch.empty()) return {};
    show(batch);
  }
}

// Whether one of the proposals is the finding.
class OpinionSink final : public analysis::ProposalSink {
 public:
  OpinionSink(const finding::Finding& finding, const std::vector<finding::EventRef>& events,
              const trace::TraceTables& tables)
      : finding_(finding), sides_(sides_of(events)), tables_(tables) {}

  void propose(finding::Proposal proposal) override {
    if (proposal.kind != finding_.kind() || proposal.kind == finding::FindingKind::race) return;
    const auto* violation = finding_.as<finding::AtomicityFinding>();
    const bool is_same = violation != nullptr ? is_same_block(*violation, proposal)
                                              : sides_of(proposal.events) == sides_;
    proposes = proposes || is_same;
  }

  bool proposes = false;

 private:
  static std::vector<uint64_t> sides_of(std::span<const finding::EventRef> events) {
    const bool sites =
        std::ranges::none_of(events, [](const finding::EventRef& e) { return e.site == kNoSite; });
    std::vector<uint64_t> sides;
    for (const finding::EventRef& e : events)
      sides.push_back(sites ? to_index(e.site) : to_index(e.index));
    std::ranges::sort(sides);
    return sides;
  }

  bool is_same_block(const finding::AtomicityFinding& violation,
                     const finding::Proposal& proposal) const {
    const finding::BlockName& block = proposal.blocks.back();
    return violation.blocks.back() == (block.kind == finding::BlockName::Kind::label
                                           ? tables_.labels[LabelId{block.id}]
                                           : tables_.functions[FunctionId{block.id}]);
  }

  const finding::Finding& finding_;
  std::vector<uint64_t> sides_;
  const trace::TraceTables& tables_;
};

Result<std::vector<FindingOpinion>> opinions_on(trace::TraceStream& stream,
                                                const finding::Finding& finding,
                                                const std::vector<finding::EventRef>& events) {
  analysis::AnalysisOptions options;
  options.allocation_of = [&](LocationId id) { return stream.allocation_of(id); };
  const auto* violation = finding.as<finding::AtomicityFinding>();
  options.is_atomic_function = [&](FunctionId id) {
    return violation != nullptr &&
           std::ranges::find(violation->blocks, stream.tables().functions[id]) !=
               violation->blocks.end();
  };
  std::vector<FindingOpinion> opinions;
  for (const analysis::AnalysisEntry& entry : analysis::all_analyses()) {
    if (entry.kind != finding.kind()) continue;
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

Result<FindingContext> context_of(trace::TraceStream& stream, const finding::Finding& finding) {
  FindingContext context;
  const std::vector<EventPair> pairs = pairs_of(finding);
  std::vector<OrderWatch> watches;
  watches.reserve(pairs.size());
  for (auto [a, b] : pairs) watches.emplace_back(a->index, b->index);
  std::vector<finding::EventRef> events(finding.events.size());
  auto watched = for_each_batch(stream, [&](std::span<const trace::Event> batch) {
    for (OrderWatch& watch : watches) watch.on_events(batch);
    for (const trace::Event& e : batch) {
      for (size_t i = 0; i < events.size(); ++i) {
        if (finding.events[i].index == e.index) events[i] = finding::EventRef::of(e);
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
    finding::RecordedOrder order =
        described_order(watches[i], finding.witness, describer, stream.tables());
    if (order.kind == finding::RecordedOrder::Kind::unordered && take_the_same(*a, *b)) {
      order.kind = finding::RecordedOrder::Kind::ordered;
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

}  // namespace foretell::pipeline
