// SPDX-License-Identifier: Apache-2.0

// Random findings of every kind, with every field set now and then.
#pragma once

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "finding/result.h"

namespace foretell::finding {

class RandomFindings {
 public:
  explicit RandomFindings(uint64_t seed) : random_(seed) {}

  Finding finding(FindingKind kind) {
    Finding f{.id = fmt::format("{}-{}", word_of(kind), below(100)), .details = details_of(kind)};
    std::visit([this](auto& details) { fill(details); }, f.details);
    f.verdict = Verdict{static_cast<uint8_t>(below(3))};  // any but dismissed
    f.analyses = texts();
    f.events = events();
    if (f.events.empty()) f.events.push_back(event());
    f.origins = events();
    if (coin()) f.witness = witness();
    f.reads = trace::ReadDemand{static_cast<uint8_t>(below(3))};
    f.reason = text();
    if (coin()) f.schedule = schedule();
    f.schedule_file = text();
    f.replay = text();
    f.consequence = text();
    f.occurrences = number();
    f.fingerprint = text();
    if (coin()) f.suppressed = SuppressedBy{text(), text()};
    f.baseline = BaselineState{static_cast<uint8_t>(below(4))};
    for (uint64_t i = below(3); i > 0; --i) f.seen_in.push_back({text(), text(), text(), text()});
    return f;
  }

  std::vector<Finding> findings() {
    std::vector<Finding> all;
    for (const FindingKindRow& row : finding_kinds()) all.push_back(finding(row.kind));
    return all;
  }

  AnalysisResult result() {
    AnalysisResult result;
    result.trace = {text(), number(), number(), number(), number()};
    result.trace.programs = texts();
    if (coin()) result.trace.tests.push_back({text(), texts()});
    result.findings = findings();
    result.dismissed = findings();
    for (Finding& f : result.dismissed) f.verdict = Verdict::dismissed;
    for (auto* list : {&result.fixed, &result.not_run}) {
      if (coin()) list->push_back({text(), kind(), text()});
    }
    for (auto* list : {&result.warnings, &result.notes}) {
      if (coin()) list->push_back({text(), text(), texts()});
    }
    if (coin()) result.inferred.push_back({text(), number(), number()});
    result.stats.push_back({text(), seconds(), {{"one", number()}, {"two", number()}}});
    result.phases = {{"read", seconds()}, {"judge", seconds()}};
    result.conversions = {number(), number()};
    return result;
  }

 private:
  schedule::Schedule schedule() {
    schedule::Schedule schedule;
    for (uint64_t i = below(5); i > 0; --i) {
      schedule.append(schedule::ThreadNumber{static_cast<uint32_t>(below(3))}, 1 + below(9));
    }
    if (coin()) schedule.parents.push_back({schedule::ThreadNumber{2}, schedule::ThreadNumber{1}});
    return schedule;
  }

  void fill(RaceFinding& race) {
    race.location = text();
    if (coin()) return;
    race.recorded.kind = coin() ? RecordedOrder::Kind::ordered : RecordedOrder::Kind::unordered;
    race.recorded.steps_between = number();
    for (uint64_t i = below(3); i > 0; --i) {
      race.recorded.path.push_back({event(), event(), text(), coin()});
    }
  }
  void fill(DeadlockFinding& deadlock) {
    deadlock.waits = text();
    deadlock.is_cycle = coin();
  }
  void fill(AtomicityFinding& violation) {
    violation.blocks = texts();
    const auto last = static_cast<uint64_t>(AtomicityPattern::cycle);
    violation.pattern = AtomicityPattern{static_cast<uint8_t>(below(last + 1))};
  }
  void fill(NondeterminismFinding& read) {
    read.location = text();
    if (coin()) read.seen_write = event();
  }
  void fill(PropertyFinding& property) { property.name = text(); }

  DescribedEvent event() {
    DescribedEvent e{.index = coin() ? EventIndex{number()} : kNoEvent,
                     .thread = text(),
                     .thread_name = text(),
                     .operation = operation(),
                     .object = text(),
                     .site = text(),
                     .function = text(),
                     .expression = text(),
                     .locks = {},
                     .value = {}};
    for (uint64_t i = below(3); i > 0; --i) e.locks.push_back({text(), coin(), text()});
    if (coin()) e.value = number();
    for (uint64_t i = below(3); i > 0; --i) e.stack.push_back({text(), text()});
    return e;
  }
  std::vector<DescribedEvent> events() {
    std::vector<DescribedEvent> all;
    for (uint64_t i = below(4); i > 0; --i) all.push_back(event());
    return all;
  }
  Operation operation() {
    if (below(8) == 0) return Operation(coin() ? SilentWait::futex : SilentWait::once);
    return trace::EventKind{static_cast<uint8_t>(below(trace::kEventKindCount))};
  }
  Witness witness() {
    // Both sides of the length up to which the recorded part is written out.
    Witness w{.prefix_end = below(50) == 0 ? 1'000'001 : below(20), .steps = {}, .last_steps = {}};
    for (uint64_t i = below(5); i > 0; --i) w.steps.push_back(EventIndex{number()});
    w.last_steps = events();
    return w;
  }

  FindingKind kind() { return finding_kinds()[below(finding_kinds().size())].kind; }
  std::string text() {
    static const std::vector<std::string> kTexts = {
        "",        "x", "account.balance", "\"quoted\" \\ and\nbroken\t", "\xc3\xa4\xe2\x86\x92",
        "a.cc:3:1"};
    return kTexts[below(kTexts.size())];
  }
  std::vector<std::string> texts() {
    std::vector<std::string> all;
    for (uint64_t i = below(3); i > 0; --i) all.push_back(text());
    return all;
  }
  uint64_t number() { return coin() ? below(100) : random_(); }
  double seconds() { return std::uniform_real_distribution<>(0, 10)(random_); }
  bool coin() { return below(2) == 0; }
  uint64_t below(uint64_t end) { return random_() % end; }

  std::mt19937_64 random_;
};

}  // namespace foretell::finding
