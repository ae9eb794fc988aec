// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "finding/json_writer.h"
#include "report/text.h"

namespace foretell::report {
namespace {

finding::AnalysisResult result_with(finding::Verdict verdict) {
  finding::AnalysisResult result;
  result.trace = {.name = "t", .events = 2, .threads = 2, .locks = 1, .locations = 1};
  finding::Finding finding{.id = "race-1",
                           .details = finding::RaceFinding{"x"},
                           .verdict = verdict,
                           .analyses = {"eraser"}};
  finding.events = {{.index = EventIndex{0},
                     .thread = "1",
                     .operation = trace::EventKind::Write,
                     .locks = {{"m", true}}},
                    {.index = EventIndex{1}, .thread = "2", .operation = trace::EventKind::Read}};
  finding.reason = "because";
  result.findings.push_back(finding);
  return result;
}

TEST(TextReport, HidesWhatIsOnlyPossible) {
  const std::string text = to_text(result_with(finding::Verdict::possible));
  EXPECT_EQ(
      text,
      "t: 2 events, 2 threads, 1 lock, 1 location: no race found, 1 possible (hidden; --possible "
      "shows them)\n");
}

TEST(TextReport, ShowsThePossibleOnRequestWithTheReason) {
  const std::string text = to_text(result_with(finding::Verdict::possible), {.possible = true});
  EXPECT_NE(text.find("t: event 0: note: data race on 'x' [race-1, possible]"), std::string::npos);
  EXPECT_NE(text.find("holding 'm' (shared)"), std::string::npos);
  EXPECT_NE(text.find("No witness: because"), std::string::npos);
}

TEST(TextReport, ColorsOnlyWhenAsked) {
  EXPECT_EQ(to_text(result_with(finding::Verdict::confirmed)).find('\033'), std::string::npos);
  EXPECT_NE(
      to_text(result_with(finding::Verdict::confirmed), {.color = true}).find("\033[1;31merror"),
      std::string::npos);
}

TEST(TextReport, HidesWhatIsSuppressedAndCountsIt) {
  finding::AnalysisResult result = result_with(finding::Verdict::predicted);
  result.findings[0].suppressed = finding::SuppressedBy{"race:x"};
  EXPECT_EQ(to_text(result),
            "t: 2 events, 2 threads, 1 lock, 1 location: nothing new, 1 suppressed\n");
}

TEST(TextReport, NamesWhatIsKnownInOneLine) {
  finding::AnalysisResult result = result_with(finding::Verdict::predicted);
  result.findings[0].baseline = finding::BaselineState::known;
  result.fixed.push_back({"aa", finding::FindingKind::race, "data race on 'y'"});
  EXPECT_EQ(to_text(result),
            "t: event 0: known: data race on 'x' [race-1, predicted]\n"
            "fixed: data race on 'y' is no longer found\n"
            "t: 2 events, 2 threads, 1 lock, 1 location: nothing new, 1 known, 1 fixed\n");
}

TEST(TextReport, NamesCannotCommandTheTerminal) {
  finding::AnalysisResult result = result_with(finding::Verdict::predicted);
  result.findings[0].details = finding::RaceFinding{"x\033[2J\n\xc2\x9b"};
  result.findings[0].events[0].thread_name = "\x07";
  const std::string text = to_text(result);
  EXPECT_NE(text.find("'x\\x1b[2J\\x0a\\x9b'"), std::string::npos) << text;
  EXPECT_EQ(text.find('\033'), std::string::npos);
  EXPECT_EQ(text.find('\x07'), std::string::npos);
}

TEST(JsonReport, SurvivesNamesThatAreNoUtf8) {
  finding::AnalysisResult result = result_with(finding::Verdict::predicted);
  result.findings[0].details = finding::RaceFinding{"\xff\xfe"};
  EXPECT_NE(to_json(result).find("\"location\": \"\xEF\xBF\xBD"), std::string::npos);
}

TEST(JsonReport, WritesARecordedPrefixOut) {
  finding::AnalysisResult result = result_with(finding::Verdict::predicted);
  result.findings[0].witness =
      finding::Witness{.prefix_end = 2, .steps = {EventIndex{5}, EventIndex{7}}};
  std::string json = to_json(result);
  std::erase_if(json, [](char c) { return c == ' ' || c == '\n'; });
  EXPECT_NE(json.find("\"witness\":[0,1,5,7]"), std::string::npos) << json;
}

TEST(JsonReport, NamesALongRecordedPrefixInstead) {
  finding::AnalysisResult result = result_with(finding::Verdict::predicted);
  result.findings[0].witness =
      finding::Witness{.prefix_end = 2'000'000, .steps = {EventIndex{2'000'005}}};
  const std::string json = to_json(result);
  EXPECT_NE(json.find("\"witness_prefix\": 2000000"), std::string::npos);
}

}  // namespace
}  // namespace foretell::report
