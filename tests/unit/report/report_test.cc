#include <gtest/gtest.h>

#include "finding/json_writer.h"
#include "report/text.h"

namespace foretell {
namespace {

AnalysisResult result_with(Verdict verdict) {
  AnalysisResult result;
  result.trace = {.name = "t", .events = 2, .threads = 2, .locks = 1, .locations = 1};
  Finding finding{
      .id = "race-1", .details = RaceFinding{"x"}, .verdict = verdict, .analyses = {"eraser"}};
  finding.events = {{.index = EventIndex{0},
                     .thread = "1",
                     .operation = EventKind::Write,
                     .locks = {{"m", true}}},
                    {.index = EventIndex{1}, .thread = "2", .operation = EventKind::Read}};
  finding.reason = "because";
  result.findings.push_back(finding);
  return result;
}

TEST(TextReport, HidesWhatIsOnlyPossible) {
  const std::string text = to_text(result_with(Verdict::possible));
  EXPECT_EQ(
      text,
      "t: 2 events, 2 threads, 1 lock, 1 location: no race found, 1 possible (hidden; --possible "
      "shows them)\n");
}

TEST(TextReport, ShowsThePossibleOnRequestWithTheReason) {
  const std::string text = to_text(result_with(Verdict::possible), {.possible = true});
  EXPECT_NE(text.find("t: event 0: note: data race on 'x' [race-1, possible]"), std::string::npos);
  EXPECT_NE(text.find("holding 'm' (shared)"), std::string::npos);
  EXPECT_NE(text.find("No witness: because"), std::string::npos);
}

TEST(TextReport, ColorsOnlyWhenAsked) {
  EXPECT_EQ(to_text(result_with(Verdict::confirmed)).find('\033'), std::string::npos);
  EXPECT_NE(to_text(result_with(Verdict::confirmed), {.color = true}).find("\033[1;31merror"),
            std::string::npos);
}

TEST(TextReport, HidesWhatIsSuppressedAndCountsIt) {
  AnalysisResult result = result_with(Verdict::predicted);
  result.findings[0].suppressed = SuppressedBy{"race:x"};
  EXPECT_EQ(to_text(result),
            "t: 2 events, 2 threads, 1 lock, 1 location: nothing new, 1 suppressed\n");
}

TEST(TextReport, NamesWhatIsKnownInOneLine) {
  AnalysisResult result = result_with(Verdict::predicted);
  result.findings[0].baseline = BaselineState::known;
  result.fixed.push_back({"aa", FindingKind::race, "data race on 'y'"});
  EXPECT_EQ(to_text(result),
            "t: event 0: known: data race on 'x' [race-1, predicted]\n"
            "fixed: data race on 'y' is no longer found\n"
            "t: 2 events, 2 threads, 1 lock, 1 location: nothing new, 1 known, 1 fixed\n");
}

TEST(TextReport, NamesCannotCommandTheTerminal) {
  AnalysisResult result = result_with(Verdict::predicted);
  result.findings[0].details = RaceFinding{"x\033[2J\n\xc2\x9b"};
  result.findings[0].events[0].thread_name = "\x07";
  const std::string text = to_text(result);
  EXPECT_NE(text.find("'x\\x1b[2J\\x0a\\x9b'"), std::string::npos) << text;
  EXPECT_EQ(text.find('\033'), std::string::npos);
  EXPECT_EQ(text.find('\x07'), std::string::npos);
}

TEST(JsonReport, SurvivesNamesThatAreNoUtf8) {
  AnalysisResult result = result_with(Verdict::predicted);
  result.findings[0].details = RaceFinding{"\xff\xfe"};
  EXPECT_NE(to_json(result).find("\"location\": \"\xEF\xBF\xBD"), std::string::npos);
}

TEST(JsonReport, WritesARecordedPrefixOut) {
  AnalysisResult result = result_with(Verdict::predicted);
  result.findings[0].witness = Witness{.prefix_end = 2, .steps = {EventIndex{5}, EventIndex{7}}};
  std::string json = to_json(result);
  std::erase_if(json, [](char c) { return c == ' ' || c == '\n'; });
  EXPECT_NE(json.find("\"witness\":[0,1,5,7]"), std::string::npos) << json;
}

TEST(JsonReport, NamesALongRecordedPrefixInstead) {
  AnalysisResult result = result_with(Verdict::predicted);
  result.findings[0].witness = Witness{.prefix_end = 2'000'000, .steps = {EventIndex{2'000'005}}};
  const std::string json = to_json(result);
  EXPECT_NE(json.find("\"witness_prefix\": 2000000"), std::string::npos);
}

}  // namespace
}  // namespace foretell
