// SPDX-License-Identifier: Apache-2.0

#include "analysis/determinism/exact/nondeterminism.h"

namespace foretell::analysis {
namespace {

// An update of which nothing is known stands for an operation that the rules of traces have no
// place for, such as an unlock by another thread (trace/recording/lock_rules.h): it keeps an order
// and no program sees what it reads.
bool is_order_only(const trace::Event& e) {
  return e.kind == trace::EventKind::AtomicRmw && !e.has_value() && !e.has_read_value();
}

}  // namespace

ReadValues::ReadValues(const judge::TraceFacts& facts)
    : facts_(facts), initial_(facts.location_count()) {
  for (judge::Position p = 0; p < facts.size(); ++p) {
    const trace::Event& e = facts.event(p);
    if (is_read(e.kind) && facts.partner[p] == judge::kNoPosition) {
      initial_[to_index(e.location())] = returned(e);
    }
  }
}

std::optional<uint64_t> ReadValues::returned(const trace::Event& read) {
  if (read.kind == trace::EventKind::AtomicRmw) {
    return read.has_read_value() ? std::optional(read.read_value()) : std::nullopt;
  }
  return read.has_value() ? std::optional(read.value) : std::nullopt;
}

std::optional<uint64_t> ReadValues::from(LocationId location, judge::Position writer) const {
  if (writer == judge::kNoPosition) return initial_[to_index(location)];
  const trace::Event& e = facts_.event(writer);
  return e.has_value() ? std::optional(e.value) : std::nullopt;
}

void Nondeterminism::on_events(std::span<const trace::Event> batch) {
  const size_t taken = std::min(batch.size(), kMostEvents - trace_.events.size());
  trace_.events.insert(trace_.events.end(), batch.begin(),
                       batch.begin() + static_cast<ptrdiff_t>(taken));
  left_out_ += batch.size() - taken;
}

void Nondeterminism::finish() {
  uint32_t locations = 0;
  for (const trace::Event& e : trace_.events) {
    if (is_access(e.kind)) locations = std::max(locations, e.object + 1);
  }
  for (uint32_t i = 0; i < locations && options_.allocation_of; ++i) {
    trace_.cells.add({{}, options_.allocation_of(LocationId{i})});
  }
  const judge::Judge judge(trace_, {.search_steps = 20'000});
  ReadViews views(judge, was_asked() ? kMostEffort : kMostEffortUnasked);
  const ReadValues values(judge.facts());
  bool goes_on = true;
  for (judge::Position p = 0; p < trace_.events.size(); ++p) {
    const trace::Event& e = trace_.events[p];
    if (!is_read(e.kind) || e.is_ambiguous() || is_order_only(e)) continue;
    goes_on = goes_on &&
              options_.goes_on(static_cast<double>(p) / static_cast<double>(trace_.events.size()));
    if (goes_on) {
      look_at(views, values, judge.facts(), p);
    } else {
      ++reads_left_out_;
    }
  }
  counts_ = views.counts();
  trace_ = {};
}

void Nondeterminism::look_at(ReadViews& views, const ReadValues& values,
                             const judge::TraceFacts& facts, judge::Position read) {
  const trace::Event& e = facts.event(read);
  const std::optional<uint64_t> value = ReadValues::returned(e);
  auto sites_of = [&](judge::Position writer) -> std::array<uint64_t, 2> {
    // Without a site every event is a place of its own.
    const uint64_t here = e.site != kNoSite ? to_index(e.site) : ~uint64_t{read};
    if (writer == judge::kNoPosition) return {here, UINT64_MAX};
    const SiteId site = facts.event(writer).site;
    return {here, site != kNoSite ? to_index(site) : ~uint64_t{writer}};
  };
  auto is_wanted = [&](judge::Position writer) {
    if (value && values.from(e.location(), writer) == value) {
      ++same_value_;
      return false;
    }
    const auto times = proposed_.find(sites_of(writer));
    return times == proposed_.end() || times->second < kMostOfSites;
  };
  const ReadView view =
      which_ == Which::results ? views.of_needed(read, is_wanted) : views.of(read, is_wanted);
  for (const SeenWrite& other : view.others) {
    // Nobody asked: little of what cannot be shown is worth the judge's time once more.
    if (!was_asked() && other.outcome != judge::JudgeOutcome::witness &&
        undecided_++ >= kMostUndecided) {
      continue;
    }
    ++proposed_[sites_of(other.writer)];
    ++proposals_;
    finding::Proposal proposal{.kind = finding::FindingKind::nondeterminism,
                               .events = {finding::EventRef::of(e)},
                               .location = e.location()};
    if (other.writer != judge::kNoPosition) {
      proposal.events.push_back(finding::EventRef::of(facts.event(other.writer)));
    }
    sink_.propose(std::move(proposal));
  }
}

void Nondeterminism::report_counters(CounterSink& sink) const {
  sink.count("reads", counts_.reads);
  sink.count("triplets", counts_.triplets);
  sink.count("ordered", counts_.ordered);
  sink.count("prefix of the run", counts_.prefix);
  sink.count("run without the reader", counts_.run);
  sink.count("judged possible", counts_.judged_possible);
  sink.count("judged impossible", counts_.judged_impossible);
  if (counts_.gave_up > 0) sink.count("judge gave up", counts_.gave_up);
  sink.count("same value", same_value_);
  if (left_out_ > 0) sink.count("events not looked at", left_out_);
  if (reads_left_out_ > 0) sink.count("reads not looked at", reads_left_out_);
  if (counts_.not_judged > 0) sink.count("not judged", counts_.not_judged);
}

}  // namespace foretell::analysis
