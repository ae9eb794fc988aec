// SPDX-License-Identifier: Apache-2.0

#include "replay/expectation.h"

#include <algorithm>

namespace foretell::replay {
namespace {

// A step of a replay, as far as a race asks about it.
struct Step {
  trace::Event event;
  trace::Location location;
  std::string_view space;
  Expectation::Step place;
};

bool overlap(const Step& a, const Step& b) {
  if (a.space != b.space) return false;
  if (a.location.size == 0 || b.location.size == 0) return true;  // a variable as a whole
  return a.location.offset < b.location.offset + b.location.size &&
         b.location.offset < a.location.offset + a.location.size;
}

bool race(const Step& a, const Step& b) {
  if (is_destruction(a.event.kind) || is_destruction(b.event.kind)) return clash(a.event, b.event);
  if (!is_access(a.event.kind) || !is_access(b.event.kind)) return false;
  if (a.event.thread == b.event.thread) return false;
  if (is_atomic_access(a.event.kind) && is_atomic_access(b.event.kind)) return false;
  auto only_reads = [](trace::EventKind kind) {
    return kind == trace::EventKind::Read || kind == trace::EventKind::AtomicRead;
  };
  if (only_reads(a.event.kind) && only_reads(b.event.kind)) return false;
  return overlap(a, b);
}

Step step_of(const trace::Event& e, const trace::TraceTables& tables) {
  Step step{e, {}, "", {std::string(tables.threads[e.thread]), tables.site_name(e.site)}};
  if (is_access(e.kind)) {
    step.location = tables.locations[e.location()];
    step.space = tables.strings[step.location.space];
  }
  return step;
}

// What each kind expects besides threads and sites of its events.

void expect(const finding::Finding& finding, const finding::RaceFinding&,
            Expectation& expectation) {
  if (!finding.witness || finding.events.size() != 2) return;
  const std::vector<EventIndex>& steps = finding.witness->steps;
  // Events are in the order of the trace, the schedule may end with them the other way round.
  if (steps.size() >= 2 && steps.back() == finding.events[0].index) {
    std::ranges::reverse(expectation.steps);
  }
}

void expect(const finding::Finding& finding, const finding::DeadlockFinding&,
            Expectation& expectation) {
  expectation.only_locks =
      std::ranges::all_of(finding.events, [](const finding::DescribedEvent& e) {
        return e.operation == trace::EventKind::Acquire ||
               e.operation == trace::EventKind::AcquireShared;
      });
}

void expect(const finding::Finding& finding, const finding::AtomicityFinding& violation,
            Expectation& expectation) {
  for (size_t i = 0; i < finding.events.size(); ++i) {
    expectation.steps[i].kind = finding.events[i].operation.kind();
  }
  if (violation.pattern != finding::AtomicityPattern::cycle) expectation.block = finding.name();
}

void expect(const finding::Finding& finding, const finding::NondeterminismFinding&,
            Expectation& expectation) {
  expectation.object = finding.events[0].object;
  expectation.recorded_value = finding.events[0].value;
}

void expect(const finding::Finding&, const finding::PropertyFinding& property,
            Expectation& expectation) {
  expectation.object = property.name;
  expectation.specification = property.specification;
  expectation.binding = property.binding;
}

void expect(const finding::Finding&, const finding::MisuseFinding& misuse,
            Expectation& expectation) {
  expectation.misuse = misuse.how;
}

}  // namespace

Expectation expectation_of(const finding::Finding& finding) {
  Expectation expectation{.kind = finding.kind()};
  for (const finding::DescribedEvent& e : finding.events)
    expectation.steps.push_back({e.thread, e.site});
  if (finding.witness) expectation.witness = &*finding.witness;
  std::visit([&](const auto& details) { expect(finding, details, expectation); }, finding.details);
  return expectation;
}

Result<std::optional<LastSteps>> last_steps(trace::TraceReader& replay, uint64_t number) {
  replay.rewind();
  std::vector<trace::Event> batch(trace::kBatchSize);
  std::optional<trace::Event> before, last;
  for (uint64_t step = 0;;) {
    FORETELL_TRY(got, replay.read(batch));
    for (const trace::Event& e : std::span(batch).first(got)) {
      before = last;
      last = e;
      if (++step == number) break;
    }
    if (got > 0 && (number == 0 || step < number)) continue;
    if (!before || step < number) return std::nullopt;
    const Step first = step_of(*before, replay.tables()), second = step_of(*last, replay.tables());
    return LastSteps{{first.place, second.place}, race(first, second)};
  }
}

Result<std::optional<ReadAndWriter>> read_and_writer(trace::TraceReader& replay, uint64_t number) {
  std::vector<trace::Event> batch(trace::kBatchSize);
  // The first pass finds the read; the second, now that its location is known, the write.
  std::optional<Step> read, write;
  for (bool looking_for_write : {false, true}) {
    replay.rewind();
    for (uint64_t step = 0; step < number;) {
      FORETELL_TRY(got, replay.read(batch));
      if (got == 0) return std::nullopt;
      for (const trace::Event& e : std::span(batch).first(got)) {
        if (++step == number) {
          read = step_of(e, replay.tables());
          break;
        }
        if (!looking_for_write || !is_write(e.kind)) continue;
        if (Step earlier = step_of(e, replay.tables()); overlap(earlier, *read)) {
          write = std::move(earlier);
        }
      }
    }
    if (!is_read(read->event.kind)) return std::nullopt;
  }
  ReadAndWriter seen{.steps = {read->place},
                     .object = replay.tables().location_name(read->event.location())};
  if (write) seen.steps.push_back(write->place);
  if (read->event.kind != trace::EventKind::AtomicRmw && read->event.has_value()) {
    seen.value = read->event.value;
  }
  return seen;
}

Result<bool> happened_in_order(trace::TraceReader& replay,
                               const std::vector<Expectation::Step>& steps,
                               std::string_view block) {
  replay.rewind();
  const trace::TraceTables& tables = replay.tables();
  std::vector<trace::Event> batch(trace::kBatchSize);
  size_t done = 0;  // of the steps
  for (;;) {
    FORETELL_TRY(got, replay.read(batch));
    if (got == 0) return false;
    for (const trace::Event& e : std::span(batch).first(got)) {
      const std::string_view thread = tables.threads[e.thread];
      if (done > 0 && thread == steps.back().thread) {
        const bool left =
            (e.kind == trace::EventKind::BlockEnd && tables.labels[e.label()] == block) ||
            (e.kind == trace::EventKind::FunctionExit && tables.functions[e.function()] == block);
        if (left) done = 0;
      }
      const Expectation::Step step{std::string(thread), tables.site_name(e.site), e.kind};
      if (step == steps[done] && ++done == steps.size()) return true;
    }
  }
}

Result<bool> has_misuse(trace::TraceReader& replay, trace::Misuse how,
                        const Expectation::Step& step) {
  std::vector<trace::Event> batch(trace::kBatchSize);
  replay.rewind();
  for (;;) {
    FORETELL_TRY(got, replay.read(batch));
    if (got == 0) break;
  }
  // What was misused is known at the end, and where it was in another pass.
  const std::vector<trace::MisuseFact> facts = replay.tables().facts.misuses;
  replay.rewind();
  for (;;) {
    FORETELL_TRY(got, replay.read(batch));
    if (got == 0) return false;
    for (const trace::Event& e : std::span(batch).first(got)) {
      const bool is_misuse = std::ranges::any_of(facts, [&](const trace::MisuseFact& fact) {
        return fact.index == e.index && fact.how == how;
      });
      if (is_misuse && step_of(e, replay.tables()).place == step) return true;
    }
  }
}

Result<uint64_t> steps_of(trace::TraceReader& replay, std::string_view thread) {
  replay.rewind();
  std::vector<trace::Event> batch(trace::kBatchSize);
  for (uint64_t steps = 0;;) {
    FORETELL_TRY(got, replay.read(batch));
    if (got == 0) return steps;
    for (const trace::Event& e : std::span(batch).first(got)) {
      steps += replay.tables().threads[e.thread] == thread;
    }
  }
}

}  // namespace foretell::replay
