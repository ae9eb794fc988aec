// SPDX-License-Identifier: Apache-2.0

#include "report/html.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/html/bytes.h"
#include "report/html/viewer.h"
#include "trace/tiddle/tiddle_reader.h"

namespace foretell::report {
namespace {

using Json = nlohmann::json;

std::string decode64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t group = 0, bits = 0;
  for (char c : text) {
    if (c == '=') break;
    group = group << 6 | static_cast<uint32_t>(kDigits.find(c));
    bits += 6;
    if (bits >= 8) bytes += static_cast<char>(group >> (bits -= 8) & 0xFF);
  }
  return bytes;
}

std::vector<uint64_t> numbers(std::string_view base64) {
  std::vector<uint64_t> out;
  uint64_t value = 0;
  unsigned shift = 0;
  for (char c : decode64(base64)) {
    value |= static_cast<uint64_t>(c & 0x7F) << shift;
    shift += 7;
    if (c & 0x80) continue;
    out.push_back(value);
    value = shift = 0;
  }
  return out;
}

trace::TraceStream stream_of(const std::string& text) {
  auto stream = trace::TraceStream::open(trace::make_tiddle_reader(InputFile::from_memory(text)));
  EXPECT_TRUE(stream);
  return std::move(*stream);
}

Json data_of(const std::string& text, const finding::AnalysisResult& result,
             HtmlOptions options = {}) {
  auto data = html_data(result, stream_of(text), options);
  EXPECT_TRUE(data);
  return Json::parse(*data);
}

finding::AnalysisResult result_of(uint64_t events, std::vector<uint64_t> about = {}) {
  finding::AnalysisResult result;
  result.trace.events = events;
  if (about.empty()) return result;
  finding::Finding& f = result.findings.emplace_back();
  f.id = "race-1";
  for (uint64_t index : about) {
    f.events.push_back(
        {.index = EventIndex{index}, .thread = "1", .operation = trace::EventKind::Write});
  }
  return result;
}

// Indices of the rows, from the gaps in the events column; for traces without values.
std::vector<uint64_t> rows_of(const Json& data) {
  std::vector<uint64_t> rows;
  const std::vector<uint64_t> column = numbers(data["trace"]["events"].get<std::string>());
  uint64_t next = 0;
  for (size_t i = 0; i < column.size(); i += 2) {
    next += column[i];
    rows.push_back(next++);
  }
  return rows;
}

TEST(HtmlBytes, NumbersAndBase64) {
  html::ByteWriter bytes;
  const std::vector<uint64_t> values = {0, 1, 127, 128, 300, UINT64_MAX};
  for (uint64_t value : values) bytes.put(value);
  EXPECT_EQ(numbers(bytes.base64()), values);
  html::ByteWriter signs;
  for (int64_t value : {int64_t{0}, int64_t{-1}, int64_t{1}, INT64_MIN}) signs.put_signed(value);
  EXPECT_EQ(numbers(signs.base64()), (std::vector<uint64_t>{0, 1, 2, UINT64_MAX}));
}

TEST(HtmlData, AWholeTraceHasEveryEventAndTheEdgesBetweenThreads) {
  const Json data =
      data_of("fork 0 1\nacq 0 m\nrel 0 m\nacq 1 m\nrel 1 m\njoin 0 1\n", result_of(6));
  EXPECT_EQ(rows_of(data), (std::vector<uint64_t>{0, 1, 2, 3, 4, 5}));
  // To row 3 from the fork three rows back and from the release one back; to the join from row 4.
  EXPECT_EQ(numbers(data["trace"]["edges"].get<std::string>()),
            (std::vector<uint64_t>{3, 3, 1, 0, 1, 0, 2, 1, 2}));
  EXPECT_EQ(data["trace"]["edge_count"], 3);
}

TEST(HtmlData, ReentrantOperationsAreSteps) {
  const Json data = data_of("acq 1 m\nacq 1 m\nrel 1 m\nrel 1 m\n", result_of(4));
  EXPECT_EQ(rows_of(data), (std::vector<uint64_t>{0, 1, 2, 3}));
}

TEST(HtmlData, AnAccessOfSeveralCellsIsOneRow) {
  const Json data = data_of("wr 1 b+0:8\nwr 1 b+0:4\nwr 1 b+4:4\n", result_of(3));
  EXPECT_EQ(rows_of(data), (std::vector<uint64_t>{0, 1, 2}));
}

TEST(HtmlData, OfALongTraceWindowsAndWhatSynchronizes) {
  std::string text = "fork 0 1\n";
  for (int i = 0; i < 50; ++i) text += "wr 0 x\n";
  text += "acq 1 m\nrel 1 m\n";
  for (int i = 0; i < 50; ++i) text += "wr 1 y\n";
  HtmlOptions options;
  options.limits.whole = 10;
  options.limits.window = 2;
  const Json data = data_of(text, result_of(103, {20}), options);
  EXPECT_EQ(rows_of(data), (std::vector<uint64_t>{0, 18, 19, 20, 21, 22, 51, 52}));
  EXPECT_EQ(data["trace"]["whole"], false);
  EXPECT_EQ(data["trace"]["skeleton"], true);
  uint64_t counted = 0;
  for (uint64_t n : numbers(data["trace"]["density"]["counts"].get<std::string>())) counted += n;
  EXPECT_EQ(counted, 103u);

  options.limits.skeleton = 1;
  const Json bare = data_of(text, result_of(103, {20}), options);
  EXPECT_EQ(bare["trace"]["skeleton"], false);
  EXPECT_EQ(rows_of(bare), (std::vector<uint64_t>{0, 18, 19, 20, 21, 22}));
}

TEST(HtmlData, APredictedScheduleIsAPrefixAndRuns) {
  finding::AnalysisResult result = result_of(6, {1, 4});
  result.findings[0].witness =
      finding::Witness{.steps = {EventIndex{0}, EventIndex{3}, EventIndex{4}, EventIndex{1}}};
  const Json data = data_of("fork 0 1\nwr 0 a\nwr 0 b\nrd 1 c\nwr 1 a\nwr 1 d\n", result);
  const Json& predicted = data["findings"][0]["predicted"];
  EXPECT_EQ(predicted["prefix"], 1);
  EXPECT_EQ(predicted["steps"], 4);
  // Step 1 is row 3, and one more row follows; step 3 is row 1, two rows back.
  EXPECT_EQ(numbers(predicted["bytes"].get<std::string>()),
            (std::vector<uint64_t>{1, 6, 1, 2, 3, 0}));
}

TEST(HtmlPage, NoNameCanEndTheDataElement) {
  finding::AnalysisResult result = result_of(2, {0, 1});
  result.trace.name = "</script><script>alert(1)</script>\xFF&";
  result.findings[0].details = finding::RaceFinding{"<!--"};
  auto page = to_html(result, stream_of("wr 1 \"</script>\"\nwr 2 \"</script>\"\n"), {});
  ASSERT_TRUE(page);
  const std::string_view viewer = html::viewer_page();
  auto count = [](std::string_view text, std::string_view what) {
    size_t n = 0;
    for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(count(*page, "</script"), count(viewer, "</script"));
  EXPECT_EQ(count(*page, "<!--"), count(viewer, "<!--"));
}

}  // namespace
}  // namespace foretell::report
