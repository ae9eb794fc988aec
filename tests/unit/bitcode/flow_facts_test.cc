// SPDX-License-Identifier: Apache-2.0

// Scopes and dependences of small functions. Sites are numbered in the metadata.

#include <gtest/gtest.h>

#include <set>

#include "bitcode/facts_of.h"

namespace foretell::bitcode {
namespace {

using program::Facts;
using program::place;
using program::UseRole;
using Numbers = std::set<size_t>;

constexpr std::string_view kFlowCommon = R"(
!1 = !{i32 0, i32 1}
!2 = !{i32 0, i32 2}
!3 = !{i32 0, i32 3}
!4 = !{i32 0, i32 4}
!5 = !{i32 4, i32 5}
!6 = !{i32 4, i32 6}
@x = global i32 0
@y = global i32 0
@z = global i32 0
declare void @mystery()
declare i32 @printf(ptr, ...)
declare i32 @pthread_mutex_lock(ptr)
declare void @exit(i32)
declare i64 @strlen(ptr)
)";

Facts flow_facts_of(const std::string& code) {
  // Positions come from sites, of which assembly has none: as many as the numbers above.
  auto facts = facts_of_ir(std::string(kFlowCommon) + code, "test.ll");
  EXPECT_TRUE(facts) << facts.error().to_text();
  return facts ? *facts : Facts{};
}

template <class Index>
Numbers numbers(const std::vector<Index>& indexes) {
  Numbers all;
  for (Index index : indexes) all.insert(place(index));
  return all;
}

Numbers scope(const Facts& facts, size_t branch) {
  for (const program::Scope& one : facts.scopes)
    if (place(one.branch) == branch) return numbers(one.sites);
  ADD_FAILURE() << "no branch " << branch;
  return {};
}

const program::Dependence& use(const Facts& facts, UseRole role, std::optional<size_t> site) {
  static const program::Dependence none;
  for (const program::Dependence& one : facts.dependences)
    if (one.role == role && one.site.has_value() == site.has_value() &&
        (!site || place(*one.site) == *site))
      return one;
  ADD_FAILURE() << "no such use";
  return none;
}

// i = 0; while (i < n) { y = i; i++; } z = 1
std::string counting() {
  return "define void @f(i32 %n, ptr %p) {\nstart:\n  br label %head\nhead:\n"
         "  %i = phi i32 [ 0, %start ], [ %next, %body ]\n"
         "  %more = icmp slt i32 %i, %n\n  br i1 %more, label %body, label %end\nbody:\n"
         "  store i32 %i, ptr @y, !foretell.site !1\n  %next = add i32 %i, 1\n  br label %head\n"
         "end:\n  store i32 1, ptr @z, !foretell.site !2\n  ret void\n}\n";
}

TEST(FlowFacts, ALoopWithABoundControlsItsBodyOnly) {
  const Facts facts = flow_facts_of(counting());
  ASSERT_EQ(facts.branches.size(), 1u);
  EXPECT_EQ(scope(facts, 0), Numbers{1});
  EXPECT_FALSE(facts.scopes[0].may_stop);
}

// while (x) y = 1; z = 1
std::string waiting(const std::string& in_body) {
  return "define void @f() {\nstart:\n  br label %head\nhead:\n"
         "  %x = load i32, ptr @x, !foretell.site !3\n  %more = icmp ne i32 %x, 0\n"
         "  br i1 %more, label %body, label %end\nbody:\n" +
         in_body +
         "  store i32 1, ptr @y, !foretell.site !1\n  br label %head\n"
         "end:\n  store i32 1, ptr @z, !foretell.site !2\n  ret void\n}\n";
}

TEST(FlowFacts, ALoopThatWaitsForMemoryControlsWhatFollows) {
  EXPECT_EQ(scope(flow_facts_of(waiting("")), 0), (Numbers{1, 2, 3}));
}

TEST(FlowFacts, WrappingIsNotTakenForImpossible) {
  // i += 2 until i == n: with nsw LLVM would say that it ends.
  const Facts facts = flow_facts_of(R"(
define void @f(i32 %n) mustprogress {
start:
  br label %head
head:
  %i = phi i32 [ 0, %start ], [ %next, %head ]
  %next = add nsw nuw i32 %i, 2
  store i32 %i, ptr @y, !foretell.site !1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %end, label %head
end:
  store i32 1, ptr @z, !foretell.site !2
  ret void
})");
  EXPECT_EQ(scope(facts, 0), (Numbers{1, 2}));
}

TEST(FlowFacts, AProgramCanSayThatALoopEnds) {
  const Facts facts = flow_facts_of(
      waiting("  call void asm sideeffect \"# foretell: this loop terminates\", \"\"()\n"));
  EXPECT_EQ(scope(facts, 0), (Numbers{1, 3}));
}

TEST(FlowFacts, ACallThatMayNotReturnIsABranch) {
  const Facts facts = flow_facts_of(R"(
define void @f(ptr %s) {
  call void @mystery()
  store i32 1, ptr @x, !foretell.site !1
  %n = call i64 @strlen(ptr %s)
  store i32 1, ptr @y, !foretell.site !2
  ret void
})");
  ASSERT_EQ(facts.branches.size(), 1u);
  EXPECT_EQ(facts.branches[0].kind, program::BranchKind::call);
  EXPECT_EQ(scope(facts, 0), (Numbers{1, 2}));
}

TEST(FlowFacts, WhatAFunctionDoesItsCallersDo) {
  const std::string choice = R"(
define void @f(i1 %c) {
  br i1 %c, label %yes, label %no
yes:
  call void @g()
  br label %no
no:
  ret void
})";
  const auto only = [&](const std::string& body) {
    const Facts facts =
        flow_facts_of("define internal void @g() {\n" + body + "\n  ret void\n}" + choice);
    for (const program::Scope& one : facts.scopes)
      if (facts.functions[place(facts.branches[place(one.branch)].function)].symbol == "f" &&
          facts.branches[place(one.branch)].kind == program::BranchKind::choice)
        return std::pair(one, facts);
    ADD_FAILURE() << "no scope";
    return std::pair(program::Scope{}, facts);
  };
  const auto [quiet, facts] = only("  store i32 1, ptr @x");
  EXPECT_FALSE(quiet.synchronizes || quiet.calls_unknown || quiet.allocates || quiet.has_state ||
               quiet.may_trap || quiet.may_stop);
  const program::Memory& writes = facts.memory[place(quiet.writes)];
  ASSERT_EQ(writes.targets.size(), 1u);
  EXPECT_EQ(facts.objects[place(facts.targets[place(writes.targets[0])].object)].name, "x");
  EXPECT_TRUE(only("  %l = call i32 @pthread_mutex_lock(ptr @x)").first.synchronizes);
  EXPECT_TRUE(only("  %p = call i32 (ptr, ...) @printf(ptr @x)").first.has_state);
  EXPECT_TRUE(only("  call void @mystery()").first.calls_unknown);
  EXPECT_TRUE(only("  call void @exit(i32 1)").first.may_stop);
  EXPECT_TRUE(only("  %v = load i32, ptr @x\n  %d = udiv i32 1, %v").first.may_trap);
  EXPECT_TRUE(only("  %v = load ptr, ptr @x\n  store i32 1, ptr %v").first.may_trap);
  EXPECT_TRUE(only("  fence seq_cst").first.synchronizes);
}

TEST(FlowFacts, UnknownCodeMayCallBack) {
  const Facts facts = flow_facts_of(R"(
declare void @keep(ptr)
define internal void @callback() {
  store i32 1, ptr @hidden
  ret void
}
@hidden = internal global i32 0
define void @f(i1 %c) {
  call void @keep(ptr @callback)
  br i1 %c, label %yes, label %no
yes:
  call void @mystery()
  br label %no
no:
  ret void
})");
  for (const program::Scope& one : facts.scopes) {
    if (facts.branches[place(one.branch)].kind != program::BranchKind::choice) continue;
    std::set<std::string> names;
    for (program::TargetIndex target : facts.memory[place(one.writes)].targets)
      names.insert(facts.objects[place(facts.targets[place(target)].object)].name);
    EXPECT_EQ(names, std::set<std::string>{"hidden"});
    EXPECT_TRUE(facts.memory[place(one.writes)].reaches_unknown);
  }
}

TEST(FlowFacts, AStoreIsComputedFromLoadsParametersAndResults) {
  const Facts facts = flow_facts_of(R"(
declare i32 @get()
define i32 @f(i32 %a, i32 %b) {
  %x = load i32, ptr @x, !foretell.site !1
  %r = call i32 @get(), !foretell.site !5
  %s = add i32 %x, %b
  %t = add i32 %s, %r
  store i32 %t, ptr @y, !foretell.site !2
  ret i32 %a
})");
  const program::Dependence& value = use(facts, UseRole::value, 2);
  EXPECT_EQ(numbers(value.loads), Numbers{1});
  EXPECT_EQ(numbers(value.parameters), Numbers{1});
  EXPECT_EQ(numbers(value.results), Numbers{5});
  EXPECT_FALSE(value.has_untracked);
  EXPECT_EQ(numbers(use(facts, UseRole::result, {}).parameters), Numbers{0});
}

// k = 1; if (x) k = 2; if (k == 2) y = 1: y depends on x through k alone.
constexpr const char* kThroughK = R"(
define void @f() {
start:
  %x = load i32, ptr @x, !foretell.site !1
  %c = icmp ne i32 %x, 0
  br i1 %c, label %two, label %join
two:
  br label %join
join:
  %k = phi i32 [ 1, %start ], [ 2, %two ]
  %d = icmp eq i32 %k, 2
  br i1 %d, label %yes, label %end
yes:
  store i32 1, ptr @y, !foretell.site !2
  br label %end
end:
  ret void
})";

TEST(FlowFacts, AChosenValueDependsOnTheBranchThatChose) {
  const Facts facts = flow_facts_of(kThroughK);
  ASSERT_EQ(facts.branches.size(), 2u);
  EXPECT_EQ(scope(facts, 0), Numbers{});
  EXPECT_EQ(scope(facts, 1), Numbers{2});
  for (const program::Dependence& one : facts.dependences) {
    if (one.role != UseRole::condition || one.branch != program::BranchIndex{1}) continue;
    EXPECT_EQ(numbers(one.branches), Numbers{0});
    return;
  }
  ADD_FAILURE() << "the second branch depends on nothing";
}

TEST(FlowFacts, UnrecordedSlotsAreLookedThrough) {
  // The same with k in a part of an array on the stack, as without optimization.
  const Facts facts = flow_facts_of(R"(
define void @f(i64 %i) {
start:
  %k = alloca [2 x i32]
  %at = getelementptr i32, ptr %k, i64 %i
  store i32 1, ptr %at
  %x = load i32, ptr @x, !foretell.site !1
  %c = icmp ne i32 %x, 0
  br i1 %c, label %two, label %join
two:
  %other = load i32, ptr @z, !foretell.site !3
  store i32 %other, ptr %k
  br label %join
join:
  %v = load i32, ptr %k
  store i32 %v, ptr @y, !foretell.site !2
  ret void
})");
  const program::Dependence& value = use(facts, UseRole::value, 2);
  EXPECT_EQ(numbers(value.loads), Numbers{3});
  EXPECT_EQ(numbers(value.parameters), Numbers{0});
  EXPECT_EQ(numbers(value.branches), Numbers{0});
  EXPECT_FALSE(value.has_untracked);
}

TEST(FlowFacts, AReadThatWasLeftOutStandsForItsTwin) {
  const Facts facts = flow_facts_of(R"(
define void @f(ptr %p, ptr %q) {
  %a = load i32, ptr %p, !foretell.site !1
  %b = load i32, ptr %p
  store i32 %b, ptr @y, !foretell.site !2
  %c = load i32, ptr %q
  store i32 %c, ptr @y, !foretell.site !3
  ret void
})");
  EXPECT_EQ(numbers(use(facts, UseRole::value, 2).loads), Numbers{1});
  EXPECT_TRUE(use(facts, UseRole::value, 3).has_untracked);
}

}  // namespace
}  // namespace foretell::bitcode
