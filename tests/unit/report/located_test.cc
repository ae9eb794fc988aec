// SPDX-License-Identifier: Apache-2.0

#include "report/located.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "report/source.h"
#include "report/text.h"
#include "report/width.h"

namespace foretell::report {
namespace {

// Runs in a folder of its own, with small fake sources in it.
class Located : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "foretell-located-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    before_ = std::filesystem::current_path();
    std::filesystem::current_path(folder_);
    std::ofstream("race.cpp") << "#include <mutex>\n\n\n\n\n\n\n  acc.balance += n;\n}\n\n\n\n"
                                 "  lock(m);\n  if (acc.balance < 0) report();\n";
  }
  void TearDown() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }

  static std::string text(const finding::Finding& f) {
    return located_text(f, {[](std::string_view t, std::string_view) { return std::string(t); },
                            f.verdict == finding::Verdict::confirmed ? "error" : "warning"});
  }

  static finding::DescribedEvent step(std::string thread, std::string operation, std::string object,
                                      std::string site, std::string function) {
    finding::DescribedEvent e{.thread = std::move(thread),
                              .operation = finding::operation_named(operation).value(),
                              .object = std::move(object),
                              .site = std::move(site),
                              .function = std::move(function)};
    if (e.operation.is_access()) e.expression = e.object;
    return e;
  }

  static finding::Finding race() {
    finding::Finding f{.id = "race-1", .verdict = finding::Verdict::confirmed};
    f.events = {step("T1", "wr", "acc.balance", "race.cpp:8:15", "deposit"),
                step("T2", "rd", "acc.balance", "race.cpp:14:7", "audit")};
    f.events[0].thread_name = "a";
    f.events[1].thread_name = "b";
    finding::Witness witness;
    witness.last_steps = {step("T2", "req", "m", "race.cpp:13:3", "audit"),
                          step("T2", "acq", "m", "race.cpp:13:3", "audit"),
                          step("T2", "wr", "acc.open", "race.cpp:13:9", "audit"),
                          step("T2", "rel", "m", "race.cpp:13:20", "audit"),
                          f.events[0],
                          f.events[1]};
    witness.steps.resize(witness.last_steps.size());
    f.witness = witness;
    const finding::OrderEdge edge{.from = step("T1", "rel", "m", "race.cpp:10:3", "deposit"),
                                  .to = witness.last_steps[1],
                                  .lock = "m",
                                  .is_broken = true};
    f.details = finding::RaceFinding{"acc+0:4", {finding::RecordedOrder::Kind::ordered, {edge}, 5}};
    f.schedule = *schedule::parse_schedule("ft1:2x4.1x1.2x1");
    return f;
  }

 private:
  std::filesystem::path folder_, before_;
};

TEST_F(Located, RaceInTheFormOfACompiler) {
  EXPECT_EQ(text(race()),
            "race.cpp:8:15: error: data race on 'acc.balance' [race-1, confirmed]\n"
            "    8 |   acc.balance += n;\n"
            "      |               ^~ written by T1 'a', holding no lock\n"
            "race.cpp:14:7: note: read here by T2 'b', holding no lock\n"
            "  How it happens (switch threads once, after step 4)\n"
            "      T1 deposit                           T2 audit\n"
            " ...\n"
            "   2                                       race.cpp:13  lock m\n"
            "   3                                       race.cpp:13  write acc.open\n"
            "   4                                       race.cpp:13  unlock m\n"
            "   5  race.cpp:8  write acc.balance        <--> race.cpp:14  read acc.balance\n"
            "  Why it did not show: T1 happened to unlock 'm' before T2 locked it.\n"
            "  fix     take 'm' in both places   schedule  ft1:2x4.1x1.2x1\n"
            "  replay  foretell replay race-1 [--gdb]   share  foretell report race-1 --html\n\n");
}

TEST_F(Located, CountsTheSwitchesBeforeTheRace) {
  finding::Finding f = race();
  f.witness->last_steps[0] = step("T0", "fork", "T2", "race.cpp:1:1", "main");
  EXPECT_NE(text(f).find("  How it happens (switch threads 2 times)\n"), std::string::npos)
      << text(f);
}

TEST_F(Located, SaysWhyItWasNotConfirmed) {
  finding::Finding f = race();
  f.verdict = finding::Verdict::predicted;
  f.replay =
      "replay diverged at step 12: T2 took the other branch at q.cpp:40 because it read 0, not 7";
  EXPECT_NE(text(f).find("  Not confirmed: replay diverged at step 12: T2 took"),
            std::string::npos);
  EXPECT_NE(text(f).find("[race-1, predicted]"), std::string::npos);
}

TEST_F(Located, TheFixNamesTheLockOneOfThemHolds) {
  finding::Finding f = race();
  f.events[1].locks = {{"m", false, "race.cpp:13:3"}};
  EXPECT_NE(text(f).find("  fix     take 'm' at race.cpp:8:15 too"), std::string::npos) << text(f);
}

TEST_F(Located, NoFixWhereNoLockIsInSight) {
  finding::Finding f = race();
  f.as<finding::RaceFinding>()->recorded = {finding::RecordedOrder::Kind::unordered, {}, 2};
  EXPECT_EQ(text(f).find("fix"), std::string::npos);
  EXPECT_NE(text(f).find("Why it did not show: T1 happened to be 3 steps ahead of T2."),
            std::string::npos);
}

TEST_F(Located, SaysNothingAboutAnOrderItDoesNotKnow) {
  finding::Finding f = race();
  f.as<finding::RaceFinding>()->recorded = {};
  EXPECT_EQ(text(f).find("Why"), std::string::npos);
}

TEST_F(Located, ALongScheduleIsNamedByItsFile) {
  finding::Finding f = race();
  for (uint32_t i = 0; i < 50; ++i) f.schedule->append(schedule::ThreadNumber{1 + i % 2}, 1111);
  f.schedule_file = ".foretell/latest/schedules/race-1.ft1";
  EXPECT_EQ(text(f).find("ft1:"), std::string::npos);
  EXPECT_NE(text(f).find("schedule  .foretell/latest/schedules/race-1.ft1"), std::string::npos);
}

TEST_F(Located, WithoutTheSourceThereIsNoSnippet) {
  finding::Finding f = race();
  f.events[0].site = "gone.cpp:8:15";
  EXPECT_NE(text(f).find("[race-1, confirmed]\n  written by T1 'a', holding no lock\n"),
            std::string::npos);
}

TEST_F(Located, ARaceWithAFreeIsAUseAfterFree) {
  finding::Finding f = race();
  f.details = finding::MemoryFinding{};
  f.events[0].operation = trace::EventKind::Free;
  EXPECT_NE(text(f).find("use after free of 'acc.balance'"), std::string::npos) << text(f);
  EXPECT_NE(text(f).find("fix     join T2 before the free at race.cpp:8:15"), std::string::npos)
      << text(f);
  f.events[1].operation = trace::EventKind::Free;
  EXPECT_NE(text(f).find("double free of 'acc.balance'"), std::string::npos) << text(f);
}

TEST_F(Located, Deadlock) {
  finding::Finding f{.id = "deadlock-1",
                     .details = finding::DeadlockFinding{.is_cycle = true},
                     .verdict = finding::Verdict::confirmed};
  f.events = {step("T1", "req", "to", "dead2.cpp:4:62", "f"),
              step("T2", "req", "from", "dead2.cpp:5:60", "g")};
  f.events[0].locks = {{"from", false, "dead2.cpp:4:37"}};
  f.events[1].locks = {{"to", false, "dead2.cpp:5:37"}};
  EXPECT_EQ(text(f),
            "dead2.cpp:4:62: error: deadlock of 2 threads [deadlock-1, confirmed]\n"
            "  T1 holds 'from' (4:37) and waits here for 'to'; T2 holds 'to' (5:37) and waits at "
            "5:60 for 'from'\n"
            "  cycle  from -> (T1) -> to -> (T2) -> from     no gate lock around both\n"
            "  fix     lock 'from' before 'to' everywhere; T2 does not (dead2.cpp:5:60)\n\n");
}

TEST_F(Located, DeadlockWithoutACycle) {
  finding::Finding f{.id = "deadlock-1",
                     .details = finding::DeadlockFinding{},
                     .verdict = finding::Verdict::confirmed};
  f.events = {step("T0", "fork", "T1", "w.c:9:3", "main"), step("T1", "wait", "c", "w.c:3:3", "f")};
  EXPECT_EQ(text(f),
            "w.c:9:3: error: deadlock: no thread can continue [deadlock-1, confirmed]\n"
            "  T0 is blocked after its step here; T1 waits at 3:3 for a notify of 'c'\n\n");
}

TEST_F(Located, LeavesOutWhatOtherThreadsAccess) {
  finding::Finding f = race();
  f.witness->last_steps[0] = step("T0", "wr", "acc.open", "race.cpp:1:1", "main");
  f.witness->last_steps[2].object = f.witness->last_steps[2].expression = "0x7f00:8";
  f.witness->last_steps[2].expression.clear();
  EXPECT_EQ(text(f).find("T0"), std::string::npos) << text(f);
  EXPECT_EQ(text(f).find("0x7f00"), std::string::npos) << text(f);
}

TEST_F(Located, FilesInTheDirectoryAreNamedWithoutIt) {
  finding::AnalysisResult result;
  result.findings.push_back(race());
  for (finding::DescribedEvent& e : result.findings[0].events) e.site.insert(0, "/home/me/src/");
  const std::string near = to_text(result, {.directory = "/home/me/src"});
  EXPECT_TRUE(near.starts_with("race.cpp:8:15: error:")) << near;
  EXPECT_NE(near.find("    8 |   acc.balance += n;"), std::string::npos);
  EXPECT_TRUE(to_text(result, {.directory = "/home/me/s"}).starts_with("/home/me/src/race.cpp"));
}

TEST_F(Located, FindingsWithoutPlacesAreNot) {
  finding::Finding f = race();
  f.events[1].site = "345";
  EXPECT_FALSE(is_located(f));
  EXPECT_TRUE(is_located(race()));
}

TEST(Source, PlacesOfSites) {
  EXPECT_EQ(parse_place("a.c:3:4")->column, 4u);
  EXPECT_EQ(parse_place("a.c:3")->line, 3u);
  EXPECT_EQ(parse_place("c:/x/a.c:3:4")->file, "c:/x/a.c");
  EXPECT_FALSE(parse_place("345"));
  EXPECT_FALSE(parse_place(":3"));
  EXPECT_FALSE(parse_place(""));
}

TEST(Source, UnderlinesTheExpressionOrTheWord) {
  EXPECT_EQ(snippet({"a.c", 3, 5}, "x = q->tail + 1;", "q->tail", "c"),
            "    3 | x = q->tail + 1;\n      |     ^~~~~~~ c\n");
  EXPECT_EQ(snippet({"a.c", 3, 5}, "x = tail;", "other", "c"),
            "    3 | x = tail;\n      |     ^~~~ c\n");
  EXPECT_EQ(snippet({"a.c", 3, 0}, "  x;", "x", "c"), "    3 |   x;\n      |   c\n");
  EXPECT_EQ(snippet({"a.c", 3, 99}, "  x;", "x", "c"), "    3 |   x;\n      |   c\n");
  EXPECT_EQ(snippet({"a.c", 3, 2}, "\tx++;", "x", "c"), "    3 |  x++;\n      |  ^ c\n");
}

TEST(Snippet, CutsLongLinesAroundTheCaret) {
  const std::string far = std::string(100, '(') + "shared++" + std::string(100, ')');
  EXPECT_EQ(snippet({"a.c", 3, 101}, far, "shared", "c"),
            "    3 | ..." + std::string(24, '(') + "shared++" + std::string(34, ')') + "...\n" +
                "      | " + std::string(27, ' ') + "^~~~~~ c\n");
  const std::string near = "x = " + std::string(100, '1');
  EXPECT_EQ(snippet({"a.c", 3, 1}, near, "x", "c"),
            "    3 | x = " + std::string(65, '1') + "...\n      | ^ c\n");
  const std::string wide = std::string(60, ' ') + "\xc3\xa4\xc3\xb6 = x;" + std::string(60, '/');
  for (uint32_t column = 0; column < wide.size(); ++column) {
    const std::string shown = snippet({"a.c", 3, column}, wide, "x", "");
    EXPECT_LE(width_of(shown.substr(0, shown.find('\n'))), 80u) << column;
  }
}

TEST(Snippet, MakesRoomForItsComment) {
  const std::string line = std::string(60, ' ') + "shared++;";
  const std::string comment = "read by T1, holding no lock";
  const std::string shown = snippet({"a.c", 3, 61}, line, "shared", comment);
  EXPECT_EQ(shown, "    3 | ..." + std::string(35, ' ') + "shared++;\n      | " +
                       std::string(38, ' ') + "^~~~~~ " + comment + "\n");
  // What does not fit anyway is no reason to cut.
  EXPECT_TRUE(snippet({"a.c", 3, 61}, line, "shared", std::string(60, 'c')).contains(line));
}

TEST(Snippet, ShowsNoControlCharacters) {
  EXPECT_EQ(snippet({"a.c", 3, 5}, "\x1b[1mx; // \xe2\x80\xae", "x", "c"),
            "    3 |  [1mx; //    \n      |     ^ c\n");
}

}  // namespace
}  // namespace foretell::report
