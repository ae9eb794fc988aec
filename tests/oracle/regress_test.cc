// SPDX-License-Identifier: Apache-2.0

// tests/regress/*.tiddle: the oracle finds exactly what each file expects (README.md there). The
// examples of PREDICT in tests/trace/predict say the same of themselves in lines with `# truth`
// (those with `# expect` are about analyses).
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "oracle.h"
#include "run_of.h"

namespace foretell::oracle {
namespace {

using Words = std::set<std::string>;
using Expectations = std::map<std::string, Words>;  // "races" -> {"0-3", "1-4"}

std::vector<std::filesystem::path> regress_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(FORETELL_REGRESS_DIR)) {
    if (entry.path().extension() == ".tiddle") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::string content_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::vector<std::filesystem::path> predict_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(FORETELL_PREDICT_DIR)) {
    if (content_of(entry.path()).contains("# truth ")) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

Expectations expectations_in(const std::string& text, const std::string& mark) {
  Expectations expectations;
  std::istringstream lines(text);
  const std::string none = "no ";
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(mark)) continue;
    line = line.substr(mark.size());
    if (line.starts_with(none)) {
      expectations[line.substr(none.size())];
      continue;
    }
    const size_t colon = line.find(':');
    auto& words = expectations[line.substr(0, colon)];
    std::istringstream rest(colon == std::string::npos ? "" : line.substr(colon + 1));
    for (std::string word; rest >> word;) words.insert(word);
  }
  return expectations;
}

Expectations found_in(const Truth& truth) {
  Expectations found{
      {"races", {}}, {"deadlocks", {}}, {"other writers", {}}, {"violable blocks", {}}};
  for (const auto& [a, b] : truth.races) found["races"].insert(fmt::format("{}-{}", a, b));
  for (const auto& cycle : truth.deadlocks) {
    found["deadlocks"].insert(fmt::format("{}", fmt::join(cycle, "-")));
  }
  for (const auto& [read, writers] : truth.other_writers) {
    for (const auto& writer : writers) {
      found["other writers"].insert(
          fmt::format("{}<-{}", read, writer ? std::to_string(*writer) : "initial"));
    }
  }
  for (Position begin : truth.violable_blocks) {
    found["violable blocks"].insert(std::to_string(begin));
  }
  return found;
}

class Regress : public testing::TestWithParam<std::filesystem::path> {};

void expect_truth(const std::string& text, const std::string& mark, const Truth& truth) {
  const Expectations found = found_in(truth);
  const Expectations expected = expectations_in(text, mark);
  EXPECT_FALSE(expected.empty()) << "the file expects nothing";
  for (const auto& [kind, words] : expected) {
    ASSERT_TRUE(found.contains(kind)) << "unknown expectation '" << kind << "'";
    EXPECT_EQ(words, found.at(kind)) << kind;
  }
}

TEST_P(Regress, OracleFindsWhatTheFileExpects) {
  const std::string text = content_of(GetParam());
  const trace::Trace trace = run_of(text);
  expect_truth(text, "# expect ", Oracle(trace).everything());
}

class Predict : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Predict, OracleFindsWhatTheFigureShows) {
  const std::string text = content_of(GetParam());
  const trace::Trace trace = run_of(text);
  expect_truth(text, "# truth ", Oracle(trace).everything());
}

TEST_P(Regress, TextReadsBackAsTheSameEvents) {
  const auto raw = trace::parse_tiddle(content_of(GetParam()));
  ASSERT_TRUE(raw);
  const auto again = trace::parse_tiddle(print_tiddle(*raw));
  ASSERT_TRUE(again);
  EXPECT_EQ(raw->events, again->events);
}

std::string test_name(const testing::TestParamInfo<std::filesystem::path>& tested) {
  std::string name = tested.param.stem().string();
  std::ranges::replace_if(name, [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Files, Regress, testing::ValuesIn(regress_files()), test_name);
INSTANTIATE_TEST_SUITE_P(Files, Predict, testing::ValuesIn(predict_files()), test_name);

TEST(RegressFiles, ThereAreSome) {
  EXPECT_GE(regress_files().size(), 15u);
}

}  // namespace
}  // namespace foretell::oracle
