// SPDX-License-Identifier: Apache-2.0

#include "report/fingerprint.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace foretell::report {
namespace {

class Fingerprint : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "foretell-fingerprint-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

  static finding::DescribedEvent event(std::string thread, std::string operation,
                                       std::string site) {
    return {.thread = std::move(thread),
            .operation = finding::operation_named(operation).value(),
            .object = "0x7fff1000:4",
            .site = std::move(site),
            .function = "deposit",
            .expression = "acc.balance"};
  }

  static std::string of(std::vector<finding::DescribedEvent> events,
                        finding::FindingKind kind = finding::FindingKind::race) {
    finding::AnalysisResult result;
    result.findings.push_back({.details = details_of(kind), .events = std::move(events)});
    add_fingerprints(result);
    return result.findings[0].fingerprint;
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(Fingerprint, SurvivesLinesInsertedAbove) {
  const std::string before = write("a.cc", "x = 1;\nread(x);\n");
  const std::string after = write("b.cc", "// new\n\n  x = 1;\n// more\n\tread(x);\n");
  EXPECT_EQ(of({event("T1", "wr", before + ":1:1"), event("T2", "rd", before + ":2:6")}),
            of({event("T1", "wr", after + ":3:3"), event("T2", "rd", after + ":5:7")}));
}

TEST_F(Fingerprint, DoesNotKnowThreadsAddressesOrWhoCameFirst) {
  finding::DescribedEvent write = event("T1", "wr", ""), read = event("T2", "rd", "");
  const std::string one = of({write, read});
  std::swap(write.thread, read.thread);
  write.object = read.object = "0x55550010:4";
  EXPECT_EQ(one, of({read, write}));
}

TEST_F(Fingerprint, ChangesWithRuleFunctionVariableAndText) {
  const std::string file = write("a.cc", "x = 1;\nx = 2;\n");
  const std::string one = of({event("T1", "wr", file + ":1:1")});
  EXPECT_NE(one, of({event("T1", "wr", file + ":2:1")}));
  EXPECT_NE(one, of({event("T1", "wr", file + ":1:1")}, finding::FindingKind::atomicity));
  finding::DescribedEvent other = event("T1", "wr", file + ":1:1");
  other.function = "withdraw";
  EXPECT_NE(one, of({other}));
  other = event("T1", "wr", file + ":1:1");
  other.expression = "acc.open";
  EXPECT_NE(one, of({other}));
}

TEST_F(Fingerprint, NumbersEqualOnesAsTheyStandInTheFile) {
  const std::string file = write("a.cc", "x++;\nx++;\n");
  finding::AnalysisResult result;
  result.findings.push_back({.events = {event("T1", "wr", file + ":2:1")}});
  result.findings.push_back({.events = {event("T1", "wr", file + ":1:1")}});
  add_fingerprints(result);
  EXPECT_EQ(result.findings[0].fingerprint, result.findings[1].fingerprint + "-2");
}

TEST_F(Fingerprint, OfADeadlockIsTheSameWhetherItHappenedOrIsPredicted) {
  finding::DescribedEvent waits = event("T1", "req", "a.cc:1:1"),
                          wants = event("T1", "acq", "a.cc:1:1");
  EXPECT_EQ(of({waits}, finding::FindingKind::deadlock),
            of({wants}, finding::FindingKind::deadlock));
}

TEST(WithoutPositions, CutsWhatCompilersNumber) {
  EXPECT_EQ(without_positions("_Invoker<(lambda at /src/a.cc:23:17)>::run"),
            "_Invoker<(lambda)>::run");
  EXPECT_EQ(without_positions("main::$_12::operator()"), "main::$_::operator()");
  EXPECT_EQ(without_positions("plain"), "plain");
}

}  // namespace
}  // namespace foretell::report
