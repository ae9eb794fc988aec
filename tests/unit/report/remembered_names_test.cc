// SPDX-License-Identifier: Apache-2.0

#include "report/remembered_names.h"

#include <gtest/gtest.h>

namespace foretell::report {
namespace {

finding::Finding found(std::string fingerprint,
                       finding::Verdict verdict = finding::Verdict::predicted) {
  finding::Finding f{.verdict = verdict};
  f.fingerprint = std::move(fingerprint);
  return f;
}

std::vector<std::string> named(RememberedNames& names, const std::string& build,
                               std::vector<finding::Finding> findings) {
  finding::AnalysisResult result{.findings = std::move(findings)};
  names.apply(result, build);
  std::vector<std::string> ids;
  for (const finding::Finding& f : result.findings) ids.push_back(f.id);
  return ids;
}

using Ids = std::vector<std::string>;

TEST(RememberedNames, AFindingKeepsItsNameInAnyOrder) {
  RememberedNames names;
  EXPECT_EQ(named(names, "b", {found("x"), found("y")}), (Ids{"race-1", "race-2"}));
  EXPECT_EQ(named(names, "b", {found("z"), found("y"), found("x")}),
            (Ids{"race-3", "race-2", "race-1"}));
  RememberedNames read = RememberedNames::parse(names.to_text());
  EXPECT_EQ(named(read, "b", {found("z")}), Ids{"race-3"});
}

TEST(RememberedNames, WhatIsHiddenUsesUpNoName) {
  RememberedNames names;
  EXPECT_EQ(named(names, "b", {found("h", finding::Verdict::possible), found("x")}),
            (Ids{"race-2", "race-1"}));
  EXPECT_EQ(named(names, "b", {found("x"), found("y")}), (Ids{"race-1", "race-2"}));
}

TEST(RememberedNames, EqualsAreKnownByTheirLines) {
  auto at = [](const char* fingerprint, const char* site) {
    finding::Finding f = found(fingerprint);
    f.events.push_back({});
    f.events.back().site = site;
    return f;
  };
  RememberedNames names;
  EXPECT_EQ(named(names, "b", {at("x", "a.c:7:3")}), Ids{"race-1"});
  // Which of two equals has a number behind its fingerprint depends on what else was found.
  EXPECT_EQ(named(names, "b", {at("x", "a.c:3:3"), at("x-2", "a.c:7:3")}),
            (Ids{"race-2", "race-1"}));
}

TEST(RememberedNames, AnotherBuildStartsAgain) {
  RememberedNames names;
  EXPECT_EQ(named(names, "old", {found("x")}), Ids{"race-1"});
  EXPECT_EQ(named(names, "new", {found("y")}), Ids{"race-1"});
  EXPECT_EQ(named(names, "old", {found("y"), found("x")}), (Ids{"race-2", "race-1"}));
}

TEST(RememberedNames, OldBuildsAreForgottenInTheEnd) {
  RememberedNames names;
  named(names, "first", {found("x")});
  for (size_t i = 0; i < RememberedNames::kMostBuilds; ++i) {
    named(names, fmt::format("b{}", i), {found("x")});
  }
  EXPECT_EQ(names.to_text().find("first"), std::string::npos);
}

TEST(RememberedNames, ADamagedFileIsNoReasonToFail) {
  RememberedNames whole;
  named(whole, "b", {found("a"), found("x")});
  const std::string row = whole.to_text().substr(whole.to_text().find('\n') + 1);
  RememberedNames names = RememberedNames::parse("one\ntwo words\n\n a b\n" + row);
  EXPECT_EQ(named(names, "b", {found("y"), found("x")}), (Ids{"race-1", "race-2"}));
}

}  // namespace
}  // namespace foretell::report
