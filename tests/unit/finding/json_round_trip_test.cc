// SPDX-License-Identifier: Apache-2.0

// What the JSON writer writes the reader reads, and nothing is lost on the way.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "finding/json_reader.h"
#include "finding/json_writer.h"
#include "unit/finding/random_finding.h"

namespace foretell::finding {
namespace {

AnalysisResult round_trip(const AnalysisResult& result) {
  auto read = parse_findings(to_json(result, {.stats = true}), "report");
  EXPECT_TRUE(read) << read.error().to_text();
  return read ? std::move(*read) : AnalysisResult{};
}

void expect_same(const std::vector<Diagnostic>& read, const std::vector<Diagnostic>& written) {
  ASSERT_EQ(read.size(), written.size());
  for (size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].to_text(), written[i].to_text());
  }
}

TEST(JsonRoundTrip, LosesNothing) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    const AnalysisResult written = RandomFindings(seed).result();
    const AnalysisResult read = round_trip(written);
    // Bindings: a field that is added to the result is missed here first.
    const auto& [trace, findings, trials, dismissed, fixed, not_run, warnings, inferred, notes,
                 stats, phases, conversions] = read;
    EXPECT_TRUE(trials.empty());  // gone before a report is written
    ASSERT_EQ(trace, written.trace) << "seed " << seed;
    ASSERT_EQ(findings.size(), written.findings.size());
    for (size_t i = 0; i < findings.size(); ++i) {
      ASSERT_EQ(findings[i], written.findings[i])
          << "seed " << seed << ", " << word_of(findings[i].kind());
      ASSERT_EQ(dismissed[i], written.dismissed[i]) << "seed " << seed;
    }
    EXPECT_EQ(fixed, written.fixed);
    EXPECT_EQ(not_run, written.not_run);
    EXPECT_EQ(inferred, written.inferred);
    EXPECT_EQ(stats, written.stats);
    EXPECT_EQ(phases, written.phases);
    EXPECT_EQ(conversions, written.conversions);
    expect_same(warnings, written.warnings);
    expect_same(notes, written.notes);
  }
}

// The random findings are worth something only if no field has the same value in all of them.
TEST(JsonRoundTrip, RandomFindingsUseEveryField) {
  std::set<std::string_view> unused = {
      "id",     "details",    "verdict",  "analyses", "events",      "witness",
      "reason", "schedule",   "file",     "replay",   "consequence", "occurrences",
      "print",  "suppressed", "baseline", "seen_in",  "origins",     "reads"};
  const Finding plain;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    for (const Finding& f : RandomFindings(seed).findings()) {
      const auto& [id, details, verdict, analyses, events, origins, witness, reads, reason,
                   schedule, file, replay, consequence, occurrences, print, suppressed, baseline,
                   seen_in] = f;
      auto mark = [&](std::string_view name, bool differs) {
        if (differs) unused.erase(name);
      };
      mark("id", id != plain.id);
      mark("details", details != plain.details);
      mark("verdict", verdict != plain.verdict);
      mark("analyses", analyses != plain.analyses);
      mark("events", events != plain.events);
      mark("origins", !origins.empty());
      mark("witness", witness.has_value());
      mark("reads", reads != plain.reads);
      mark("reason", reason != plain.reason);
      mark("schedule", schedule != plain.schedule);
      mark("file", file != plain.schedule_file);
      mark("replay", replay != plain.replay);
      mark("consequence", consequence != plain.consequence);
      mark("occurrences", occurrences != plain.occurrences);
      mark("print", print != plain.fingerprint);
      mark("suppressed", suppressed.has_value());
      mark("baseline", baseline != plain.baseline);
      mark("seen_in", !seen_in.empty());
    }
  }
  EXPECT_EQ(unused, std::set<std::string_view>());
}

TEST(JsonReader, KnowsEveryOperationByItsWord) {
  for (uint8_t i = 0; i < trace::kEventKindCount; ++i) {
    EXPECT_EQ(operation_named(word_of(trace::EventKind{i})), Operation(trace::EventKind{i}));
  }
  EXPECT_EQ(operation_named("futex"), Operation(SilentWait::futex));
  EXPECT_EQ(operation_named("once"), Operation(SilentWait::once));
  EXPECT_FALSE(operation_named("read"));
}

TEST(JsonReader, ReadsWhatVersion010Wrote) {
  const auto read = read_findings(FORETELL_TESTS "/regress/v1.findings.json");
  ASSERT_TRUE(read) << read.error().to_text();
  std::string text;
  for (const auto* list : {&read->findings, &read->dismissed}) {
    for (const Finding& f : *list) {
      text += fmt::format("{} '{}' {}\n", f.id, f.name(), word_of(f.verdict));
    }
  }
  EXPECT_EQ(text,
            "race-1 'total' predicted\n"
            "deadlock-1 'n -> m' predicted\n"
            "atomicity-1 'deposit' predicted\n"
            "atomicity-2 'deposit' predicted\n"
            "nondeterminism-1 'balance' predicted\n"
            "nondeterminism-2 'balance' predicted\n"
            "race-2 'limit' possible\n"
            "deadlock-2 'q -> p' dismissed\n");
  EXPECT_EQ(read->findings[0].as<RaceFinding>()->recorded.kind, RecordedOrder::Kind::unordered);
  EXPECT_TRUE(read->findings[1].as<DeadlockFinding>()->is_cycle);
  EXPECT_EQ(read->findings[2].as<AtomicityFinding>()->pattern, AtomicityPattern::after_error);
  EXPECT_TRUE(read->findings[4].as<NondeterminismFinding>()->seen_write);
  EXPECT_EQ(read->findings[0].events[0].operation, trace::EventKind::Write);
}

TEST(JsonReader, SaysWhatItDoesNotKnow) {
  auto error_of = [](std::string_view finding) {
    const auto read = parse_findings(
        fmt::format(R"({{"foretell": 2, "trace": {{"name": "t", "events": 0, "threads": 0,
                        "locks": 0, "locations": 0}}, "findings": [{}]}})",
                    finding),
        "f.json");
    return read ? "read" : read.error().message;
  };
  EXPECT_EQ(error_of(R"({"id": "x-1", "kind": "leak"})"),
            "f.json has a kind of finding that this Foretell does not know: 'leak'");
  EXPECT_EQ(error_of(R"({"id": "race-1", "kind": "race", "location": "x", "verdict": "sure"})"),
            "f.json has a verdict that this Foretell does not know: 'sure'");
  EXPECT_EQ(parse_findings(R"({"foretell": 3})", "f.json").error().message,
            "f.json is in a form that this Foretell does not know");
  EXPECT_TRUE(parse_findings("[", "f.json").error().message.starts_with("f.json is damaged"));
}

}  // namespace
}  // namespace foretell::finding
