// SPDX-License-Identifier: Apache-2.0

#include "bitcode/facts_of.h"

#include <gtest/gtest.h>

#include <set>

namespace foretell::bitcode {
namespace {

using program::Facts;
using program::RunBy;
using program::Sharing;

constexpr std::string_view kDeclarations = R"(
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
declare void @mystery(ptr)
declare i32 @printf(ptr, ...)
declare void @exit(i32)
declare i32 @atexit(ptr)
declare i64 @write(i32, ptr, i64)
declare ptr @malloc(i64)
@a = global i32 0
@b = global i32 0
@p = global ptr null
@q = global ptr null
)";

Facts facts_of(const std::string& code) {
  auto facts = facts_of_ir(std::string(kDeclarations) + code, "test.ll");
  EXPECT_TRUE(facts) << facts.error().to_text();
  return facts ? *facts : Facts{};
}

std::set<std::string> unshared(const Facts& facts) {
  std::set<std::string> names;
  for (const program::Object& object : facts.objects)
    if (object.sharing != Sharing::shared) names.insert(object.name);
  return names;
}

RunBy runner(const Facts& facts, std::string_view symbol) {
  for (const program::Function& function : facts.functions)
    if (function.symbol == symbol) return function.run_by;
  ADD_FAILURE() << "no function " << symbol;
  return RunBy::nobody;
}

// A program whose thread runs `work` and whose main begins with `in_main`.
std::string threaded(const std::string& work, const std::string& in_main) {
  return "define ptr @work(ptr %arg) {\n" + work + "\n  ret ptr null\n}\n" +
         "define i32 @main() {\n" + in_main +
         "\n  %t = call i32 @pthread_create(ptr null, ptr null, ptr @work, ptr null)\n  ret i32 "
         "0\n}\n";
}

TEST(FactsOf, AGlobalOfMainIsNotShared) {
  const Facts facts = facts_of(threaded("  store i32 1, ptr @a", "  store i32 1, ptr @b"));
  EXPECT_FALSE(unshared(facts).contains("a"));
  EXPECT_TRUE(unshared(facts).contains("b"));
  EXPECT_EQ(runner(facts, "work"), RunBy::any_thread);
  EXPECT_EQ(runner(facts, "main"), RunBy::initial_thread);
}

TEST(FactsOf, APointerInAGlobalSharesWhatItPointsTo) {
  const Facts facts = facts_of(threaded("  %x = load ptr, ptr @p\n  store i32 1, ptr %x",
                                        "  store ptr @a, ptr @p\n  store i32 1, ptr @b"));
  EXPECT_FALSE(unshared(facts).contains("a"));
  EXPECT_TRUE(unshared(facts).contains("b"));
}

TEST(FactsOf, APointerCopiedAsANumberIsAPointer) {
  const Facts facts = facts_of(
      threaded("  %x = load i64, ptr @p\n  %y = add i64 %x, 4\n  %z = inttoptr i64 %y to ptr\n"
               "  store i32 1, ptr %z",
               "  store i64 ptrtoint (ptr @a to i64), ptr @p\n  store i32 1, ptr @b"));
  EXPECT_FALSE(unshared(facts).contains("a"));
  EXPECT_TRUE(unshared(facts).contains("b"));
}

TEST(FactsOf, UnknownFunctionsTakeAllTheyCanReach) {
  const Facts facts = facts_of(R"(
define i32 @main() {
  store ptr @a, ptr @p
  call void @mystery(ptr @p)
  store i32 1, ptr @b
  ret i32 0
})");
  EXPECT_EQ(unshared(facts), (std::set<std::string>{"b", "q"}));
  ASSERT_EQ(facts.unknowns.size(), 1u);
  EXPECT_EQ(facts.unknowns[0].name, "mystery");
}

TEST(FactsOf, FunctionsTheUnknownKnowsAreRunByAnyThread) {
  const Facts facts = facts_of(R"(
define internal void @handler() {
  store i32 1, ptr @a
  ret void
}
define i32 @main() {
  call void @mystery(ptr @handler)
  store i32 1, ptr @a
  ret i32 0
})");
  EXPECT_EQ(runner(facts, "handler"), RunBy::any_thread);
  EXPECT_FALSE(unshared(facts).contains("a"));
}

TEST(FactsOf, WhatIsWrittenToAFileMayComeBackAnywhere) {
  const Facts facts = facts_of(R"(
define i32 @main() {
  store ptr @a, ptr @p
  %n = call i64 @write(i32 1, ptr @p, i64 8)
  store i32 1, ptr @a
  ret i32 0
})");
  EXPECT_FALSE(unshared(facts).contains("a"));
  EXPECT_TRUE(unshared(facts).contains("p"));
}

// The handler runs on the thread that exits.
TEST(FactsOf, ExitHandlersAreOfTheInitialThreadUnlessAnotherMayExit) {
  const std::string handler =
      "define internal void @last() {\n  store i32 1, ptr @b\n  ret void\n}\n";
  const std::string add = "  %x = call i32 @atexit(ptr @last)\n";
  EXPECT_EQ(runner(facts_of(handler + threaded("", add)), "last"), RunBy::initial_thread);
  EXPECT_EQ(runner(facts_of(handler + threaded("  call void @exit(i32 0)", add)), "last"),
            RunBy::any_thread);
}

TEST(FactsOf, ConfinedMemoryIsReachedByItsThreadAlone) {
  const Facts facts = facts_of(threaded("  %own = call ptr @malloc(i64 4)\n  store i32 1, ptr %own",
                                        "  store i32 1, ptr @b"));
  ASSERT_TRUE(unshared(facts).contains("malloc"));
  const Facts handed = facts_of(threaded(
      "  %own = call ptr @malloc(i64 4)\n  store i32 1, ptr %own\n  store ptr %own, ptr @p", ""));
  EXPECT_FALSE(unshared(handed).contains("malloc"));
}

TEST(FactsOf, NothingIsConfinedWhereStacksMayMove) {
  const Facts facts =
      facts_of("declare i32 @swapcontext(ptr, ptr)\n" +
               threaded("  %own = call ptr @malloc(i64 4)\n  store i32 1, ptr %own\n"
                        "  %s = call i32 @swapcontext(ptr null, ptr null)",
                        "  store i32 1, ptr @b"));
  EXPECT_FALSE(unshared(facts).contains("malloc"));
  EXPECT_TRUE(unshared(facts).contains("b"));
}

TEST(FactsOf, AssemblyMayNameWhatItDoesNotTake) {
  const Facts facts = facts_of(R"ir(
define i32 @main() {
  call void asm sideeffect "incl a(%rip)", "~{memory}"()
  store i32 1, ptr @a
  store i32 1, ptr @b
  ret i32 0
})ir");
  EXPECT_FALSE(unshared(facts).contains("a"));
  EXPECT_TRUE(unshared(facts).contains("b"));
}

TEST(FactsOf, CallsAndBranchesAreListed) {
  const Facts facts = facts_of(R"(
define internal i32 @one() { ret i32 1 }
define internal i32 @two() { ret i32 2 }
@table = global [2 x ptr] [ptr @one, ptr @two]
define i32 @main(i32 %n, ptr %args) {
  %c = icmp eq i32 %n, 1
  br i1 %c, label %yes, label %no
yes:
  %slot = getelementptr [2 x ptr], ptr @table, i32 0, i32 %n
  %f = load ptr, ptr %slot
  %r = call i32 %f()
  ret i32 %r
no:
  %s = call i32 @one()
  ret i32 %s
})");
  std::multiset<std::pair<std::string, bool>> callees;
  for (const program::Call& call : facts.calls)
    callees.insert({facts.functions[program::place(call.callee)].symbol, call.is_indirect});
  EXPECT_EQ(callees, (std::multiset<std::pair<std::string, bool>>{
                         {"one", false}, {"one", true}, {"two", true}}));
  ASSERT_EQ(facts.branches.size(), 1u);
  EXPECT_EQ(facts.branches[0].ways, 2u);
}

TEST(FactsOf, ProblemsAreDiagnostics) {
  const auto text = facts_of_ir("define i32 @main( {", "bad.ll");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().where, "bad.ll:1");
  EXPECT_FALSE(
      facts_of_ir("BC\xc0\xde"
                  "damaged",
                  "bad.bc"));
  const auto script = facts_of_binary("#!/bin/sh\n", "script");
  ASSERT_FALSE(script);
  EXPECT_EQ(script.error().where, "script");
  EXPECT_FALSE(facts_of_binary(std::string("\x7f"
                                           "ELF\2\1\1",
                                           7) +
                                   std::string(200, '\xee'),
                               "torn"));
}

}  // namespace
}  // namespace foretell::bitcode
