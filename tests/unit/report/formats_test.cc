// SPDX-License-Identifier: Apache-2.0

// GitHub's annotations, JUnit and Perfetto.
#include <gtest/gtest.h>

#include "report/github.h"
#include "report/junit.h"
#include "report/perfetto.h"
#include "trace/open.h"

namespace foretell::report {
namespace {

finding::AnalysisResult race_at(std::string site,
                                finding::Verdict verdict = finding::Verdict::confirmed) {
  finding::AnalysisResult result;
  result.trace.name = "./bank";
  finding::Finding f{.id = "race-1", .details = finding::RaceFinding{"x"}, .verdict = verdict};
  f.events = {
      {.thread = "T1",
       .operation = trace::EventKind::Write,
       .object = "x",
       .site = std::move(site)},
      {.thread = "T2", .operation = trace::EventKind::Read, .object = "x", .site = "b.cc:2:1"}};
  result.findings.push_back(f);
  return result;
}

TEST(Github, NamesPlaceTitleAndBothEvents) {
  EXPECT_EQ(
      to_github(race_at("/w/a.cc:8:3"), {.directory = "/w"}),
      "::error file=a.cc,line=8,col=3,title=data race on 'x' [race-1%2C confirmed]::T1 writes "
      "'x', holding no lock at a.cc:8:3%0AT2 reads 'x', holding no lock at b.cc:2:1\n");
}

TEST(Github, ANameCannotBeginACommand) {
  finding::AnalysisResult result = race_at("a.cc:8:3", finding::Verdict::predicted);
  result.findings[0].details = finding::RaceFinding{"x\n::error::pwned"};
  const std::string text = to_github(result, {});
  EXPECT_EQ(std::ranges::count(text, '\n'), 1) << text;
  EXPECT_TRUE(text.starts_with("::warning "));
}

TEST(Github, SaysNothingOfWhatIsSuppressedKnownOrOnlyPossible) {
  finding::AnalysisResult result = race_at("a.cc:8:3", finding::Verdict::possible);
  EXPECT_EQ(to_github(result, {}), "");
  EXPECT_TRUE(to_github(result, {.possible = true}).starts_with("::notice "));
  result = race_at("a.cc:8:3");
  result.findings[0].baseline = finding::BaselineState::known;
  EXPECT_EQ(to_github(result, {}), "");
  result = race_at("a.cc:8:3");
  result.findings[0].suppressed = finding::SuppressedBy{"race:x"};
  EXPECT_EQ(to_github(result, {}), "");
}

TEST(Junit, CountsAndEscapes) {
  const JunitCase passes{.name = "a", .class_name = "c", .seconds = 0.5};
  const JunitCase fails{.name = "b<\"&",
                        .class_name = "c",
                        .failures = {{"race", "m\n1", "t\x01\xff<"}},
                        .output = "o"};
  const JunitCase skipped{.name = "s", .skipped = "not instrumented"};
  EXPECT_EQ(
      to_junit({{"suite", {passes, fails, skipped}}}),
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"foretell\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\" "
      "time=\"0.500\">\n"
      "  <testsuite name=\"suite\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\" "
      "time=\"0.500\">\n"
      "    <testcase name=\"a\" classname=\"c\" time=\"0.500\">\n    </testcase>\n"
      "    <testcase name=\"b&lt;&quot;&amp;\" classname=\"c\" time=\"0.000\">\n"
      "      <failure type=\"race\" message=\"m&#10;1\">t\xEF\xBF\xBD\xEF\xBF\xBD&lt;</failure>\n"
      "      <system-out>o</system-out>\n    </testcase>\n"
      "    <testcase name=\"s\" classname=\"\" time=\"0.000\">\n"
      "      <skipped message=\"not instrumented\"/>\n    </testcase>\n"
      "  </testsuite>\n</testsuites>\n");
}

TEST(Junit, FailsOnWhatIsOpenAndCertainEnough) {
  EXPECT_EQ(junit_case(race_at("a.cc:8:3"), finding::Verdict::predicted).failures.size(), 1u);
  EXPECT_EQ(junit_case(race_at("", finding::Verdict::predicted), finding::Verdict::confirmed)
                .failures.size(),
            0u);
  finding::AnalysisResult known = race_at("a.cc:8:3");
  known.findings[0].baseline = finding::BaselineState::known;
  EXPECT_TRUE(junit_case(known, finding::Verdict::predicted).failures.empty());
}

size_t count(const std::string& text, std::string_view part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

std::string perfetto(finding::AnalysisResult result, PerfettoOptions options,
                     std::vector<Diagnostic>& left_out) {
  auto reader = open_trace(
      InputFile::from_memory("acq 1 m\nwr 1 x\nrel 1 m\nrd 2 x\ncall 2 f\nwr 2 y\n", "t"),
      trace::TraceFormat::tiddle);
  EXPECT_TRUE(reader);
  result.trace.events = 6;
  auto text = to_perfetto(**reader, result, options, left_out);
  EXPECT_TRUE(text);
  return *text;
}

TEST(Perfetto, HasTheRecordedAndThePredictedSchedule) {
  finding::AnalysisResult result = race_at("a.cc:1");
  result.findings[0].events[0].index = EventIndex{1};
  result.findings[0].events[1].index = EventIndex{3};
  result.findings[0].witness =
      finding::Witness{.steps = {EventIndex{0}, EventIndex{1}, EventIndex{3}}};
  std::vector<Diagnostic> left_out;
  const std::string text = perfetto(result, {}, left_out);
  EXPECT_TRUE(left_out.empty());
  EXPECT_EQ(count(text, R"("ph":"X","pid":1,)"), 5u) << text;
  EXPECT_EQ(count(text, R"("ph":"X","pid":2,)"), 3u) << text;
  // A racing pair begins at the same time.
  EXPECT_EQ(count(text, R"("ts":2,"dur":1,"cat":"finding")"), 2u) << text;
  // What is still open when a schedule ends is closed.
  EXPECT_EQ(count(text, R"("ph":"B")"), count(text, R"("ph":"E")"));
  EXPECT_EQ(count(text, R"("ph":"b")"), 2u);
  EXPECT_EQ(count(text, R"("ph":"e")"), 2u);
}

TEST(Perfetto, SaysWhatItLeavesOut) {
  finding::AnalysisResult result = race_at("a.cc:1");
  result.findings[0].events[0].index = EventIndex{1};
  result.findings[0].events[1].index = EventIndex{3};
  result.findings[0].witness =
      finding::Witness{.steps = {EventIndex{0}, EventIndex{1}, EventIndex{3}}};
  std::vector<Diagnostic> left_out;
  const std::string text = perfetto(result, {.most_events = 4, .most_slices = 4}, left_out);
  ASSERT_EQ(left_out.size(), 2u);
  EXPECT_EQ(left_out[0].message,
            "the Perfetto trace has 4 of 6 events, up to those of the findings");
  EXPECT_EQ(left_out[1].message, "the Perfetto trace lacks the schedules of 1 findings");
  EXPECT_EQ(count(text, R"("event":0)"), 1u);
}

}  // namespace
}  // namespace foretell::report
