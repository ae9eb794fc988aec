// SPDX-License-Identifier: Apache-2.0

// Small programs with the sets that the analysis must find: accesses are numbered by their sites.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "bitcode/facts_of.h"

namespace foretell::bitcode {
namespace {

using program::Facts;
using program::place;
using Names = std::set<std::string>;

// Accesses are marked !foretell.site !1 and so on.
constexpr std::string_view kCommon = R"(
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
!1 = !{i32 0, i32 1}
!2 = !{i32 0, i32 2}
!3 = !{i32 0, i32 3}
declare ptr @malloc(i64)
declare ptr @realloc(ptr, i64)
declare ptr @strdup(ptr)
declare ptr @strchr(ptr, i32)
declare void @mystery(ptr)
declare ptr @find_it()
declare void @qsort(ptr, i64, i64, ptr)
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.va_start.p0(ptr)
@a = global i64 0
@b = global i64 0
@pair = global { ptr, ptr } zeroinitializer
@array = global [100 x { ptr, ptr, i64 }] zeroinitializer
@p = global ptr null
)";

// "a" is the byte 0 of a, "a+8" byte 8, "a+8%24" byte 8 of every 24, "a+?" any byte.
std::string text_of(const Facts& facts, const program::Target& target) {
  const std::string& name = facts.objects[place(target.object)].name;
  if (target.stride == 1) return name + "+?";
  const std::string at = target.offset == 0 ? name : fmt::format("{}+{}", name, target.offset);
  return target.stride == 0 ? at : fmt::format("{}%{}", at, target.stride);
}

struct Analyzed {
  Facts facts;
  Names at(uint32_t site) const {
    Names names;
    for (const program::Access& access : facts.accesses) {
      if (place(access.site) != site) continue;
      const program::Memory& memory = facts.memory_of(access);
      for (program::TargetIndex target : memory.targets)
        names.insert(text_of(facts, facts.targets[place(target)]));
      if (memory.reaches_unknown) names.insert("unknown");
    }
    return names;
  }
};

Analyzed analyze(const std::string& code) {
  auto facts = facts_of_ir(std::string(kCommon) + code, "test.ll");
  EXPECT_TRUE(facts) << facts.error().to_text();
  return {facts ? *facts : Facts{}};
}

std::string in_main(const std::string& body) {
  return "define i32 @main(i32 %n, ptr %args) {\n" + body + "\n  ret i32 0\n}\n";
}

TEST(PointsTo, FieldsAreToldApart) {
  const Analyzed all = analyze(in_main(R"(
  store ptr @a, ptr @pair
  store ptr @b, ptr getelementptr (i8, ptr @pair, i64 8), !foretell.site !1
  %x = load ptr, ptr @pair
  store i64 1, ptr %x, !foretell.site !2)"));
  EXPECT_EQ(all.at(1), Names{"pair+8"});
  EXPECT_EQ(all.at(2), Names{"a"});
}

TEST(PointsTo, AssignmentsHaveADirection) {
  // q may be a or b, p is still a alone.
  const Analyzed all = analyze(in_main(R"(
  %c = icmp eq i32 %n, 1
  %q = select i1 %c, ptr @a, ptr @b
  store i64 1, ptr %q, !foretell.site !1
  store i64 1, ptr @a, !foretell.site !2)"));
  EXPECT_EQ(all.at(1), (Names{"a", "b"}));
  EXPECT_EQ(all.at(2), Names{"a"});
}

TEST(PointsTo, ElementsOfAnArrayKeepTheirFields) {
  const Analyzed all = analyze(in_main(R"(
  %i = zext i32 %n to i64
  %first = getelementptr { ptr, ptr, i64 }, ptr @array, i64 %i
  %second = getelementptr { ptr, ptr, i64 }, ptr @array, i64 %i, i32 1
  store ptr @a, ptr %first, !foretell.site !1
  store ptr @b, ptr %second
  %x = load ptr, ptr getelementptr (i8, ptr @array, i64 248)
  store i64 1, ptr %x, !foretell.site !2
  %y = load ptr, ptr getelementptr (i8, ptr @array, i64 256)
  store i64 1, ptr %y, !foretell.site !3)"));
  EXPECT_EQ(all.at(1), Names{"array%24"});
  EXPECT_EQ(all.at(2), Names{"b"});  // 248 = 10 * 24 + 8
  EXPECT_EQ(all.at(3), Names{});     // the number
}

TEST(PointsTo, APointerThatALoopAdvancesHasAStride) {
  const Analyzed all = analyze(R"(
define i32 @main() {
  br label %loop
loop:
  %x = phi ptr [ @array, %0 ], [ %next, %loop ]
  store ptr null, ptr %x, !foretell.site !1
  %next = getelementptr i8, ptr %x, i64 24
  %c = icmp eq ptr %next, null
  br i1 %c, label %end, label %loop
end:
  ret i32 0
})");
  EXPECT_EQ(all.at(1), (Names{"array", "array%24"}));
}

TEST(PointsTo, OutsideItsBoundsAPointerIsAnywhere) {
  const Analyzed all = analyze(in_main(R"(
  %x = getelementptr i8, ptr @pair, i64 -8
  %y = getelementptr i8, ptr %x, i64 8
  store i64 1, ptr %y, !foretell.site !1)"));
  EXPECT_EQ(all.at(1), Names{"pair+?"});
}

TEST(PointsTo, StructuresAreCopiedByFields) {
  const Analyzed all = analyze(in_main(R"(
  store ptr @a, ptr @pair
  store ptr @b, ptr getelementptr (i8, ptr @pair, i64 8)
  %m = call ptr @malloc(i64 16)
  call void @llvm.memcpy.p0.p0.i64(ptr %m, ptr @pair, i64 16, i1 false)
  %second = getelementptr i8, ptr %m, i64 8
  %x = load ptr, ptr %second, !foretell.site !1
  store i64 1, ptr %x, !foretell.site !2
  %size = zext i32 %n to i64
  %z = call ptr @malloc(i64 %size)
  call void @llvm.memcpy.p0.p0.i64(ptr %z, ptr @pair, i64 %size, i1 false)
  %w = load ptr, ptr %z
  store i64 1, ptr %w, !foretell.site !3)"));
  EXPECT_EQ(all.at(1), Names{"malloc+8"});
  EXPECT_EQ(all.at(2), Names{"b"});
  EXPECT_EQ(all.at(3), (Names{"a", "b"}));  // how much is copied nobody knows
}

TEST(PointsTo, PointersAreCopiedByteByByte) {
  const Analyzed all = analyze(in_main(R"(
  store ptr @a, ptr @pair
  %byte = load i8, ptr getelementptr (i8, ptr @pair, i64 3)
  store i8 %byte, ptr getelementptr (i8, ptr @array, i64 27)
  %x = load ptr, ptr getelementptr (i8, ptr @array, i64 24)
  store i64 1, ptr %x, !foretell.site !1)"));
  EXPECT_EQ(all.at(1), Names{"a"});
}

TEST(PointsTo, ANumberMadeOfAPointerIsOne) {
  const Analyzed all = analyze(in_main(R"(
  %x = ptrtoint ptr @array to i64
  %y = add i64 %x, 16
  %z = inttoptr i64 %y to ptr
  store i64 1, ptr %z, !foretell.site !1
  %tagged = or i64 %x, 1
  %t = inttoptr i64 %tagged to ptr
  store i64 1, ptr %t, !foretell.site !2)"));
  EXPECT_EQ(all.at(1), Names{"array+16"});
  EXPECT_EQ(all.at(2), Names{"array+?"});
}

TEST(PointsTo, CallersOfAWrapperHaveObjectsOfTheirOwn) {
  const Analyzed all = analyze(R"(
define ptr @xmalloc(i64 %size) {
  %m = call ptr @malloc(i64 %size)
  %c = icmp eq ptr %m, null
  br i1 %c, label %bad, label %good
bad:
  ret ptr null
good:
  store ptr @a, ptr %m, !foretell.site !3
  ret ptr %m
}
define i32 @main() {
  %x = call ptr @xmalloc(i64 16)
  %y = call ptr @xmalloc(i64 16)
  %second = getelementptr i8, ptr %x, i64 8
  store ptr @b, ptr %second
  %other = getelementptr i8, ptr %y, i64 8
  %u = load ptr, ptr %other
  store i64 1, ptr %u, !foretell.site !1
  %v = load ptr, ptr %y
  store i64 1, ptr %v, !foretell.site !2
  ret i32 0
})");
  EXPECT_EQ(all.at(1), Names{});     // nothing was stored in that of y
  EXPECT_EQ(all.at(2), Names{"a"});  // the wrapper did
  EXPECT_EQ(all.at(3), Names{"malloc"});
}

TEST(PointsTo, AFunctionThatKeepsTheAddressIsNoWrapper) {
  const Analyzed all = analyze(R"(
define ptr @make() {
  %m = call ptr @malloc(i64 8)
  store ptr %m, ptr @p
  ret ptr %m
}
define i32 @main() {
  %x = call ptr @make()
  store ptr @a, ptr %x
  %same = load ptr, ptr @p
  %y = load ptr, ptr %same
  store i64 1, ptr %y, !foretell.site !1
  ret i32 0
})");
  EXPECT_EQ(all.at(1), Names{"a"});
}

TEST(PointsTo, VirtualCallsTakeTheSlotOfTheTable) {
  const Analyzed all = analyze(R"(
@table = constant { [4 x ptr] } { [4 x ptr] [ptr null, ptr null, ptr @area, ptr @name] }
define void @area(ptr %this) {
  store i64 1, ptr %this, !foretell.site !1
  ret void
}
define void @name(ptr %this) {
  store i64 1, ptr %this, !foretell.site !2
  ret void
}
define i32 @main() {
  %shape = call ptr @malloc(i64 8)
  store ptr getelementptr (i8, ptr @table, i64 16), ptr %shape
  %vptr = load ptr, ptr %shape
  %slot = getelementptr ptr, ptr %vptr, i64 0
  %f = load ptr, ptr %slot
  call void %f(ptr %shape)
  ret i32 0
})");
  EXPECT_EQ(all.at(1), Names{"malloc"});
  EXPECT_EQ(all.at(2), Names{});
}

TEST(PointsTo, UnnamedArgumentsAreFoundThroughTheList) {
  const Analyzed all = analyze(R"(
define void @sum(i32 %n, ...) {
  %list = alloca [1 x { i32, i32, ptr, ptr }]
  call void @llvm.va_start.p0(ptr %list)
  %place = getelementptr i8, ptr %list, i64 8
  %area = load ptr, ptr %place
  %x = load ptr, ptr %area
  store i64 1, ptr %x, !foretell.site !1
  ret void
}
define i32 @main() {
  call void (i32, ...) @sum(i32 2, ptr @a, ptr @b)
  ret i32 0
})");
  EXPECT_EQ(all.at(1), (Names{"a", "b"}));
}

TEST(PointsTo, WhatReallocMovesIsKept) {
  const Analyzed all = analyze(in_main(R"(
  %m = call ptr @malloc(i64 8)
  store ptr @a, ptr %m
  %r = call ptr @realloc(ptr %m, i64 16)
  %x = load ptr, ptr %r, !foretell.site !1
  store i64 1, ptr %x, !foretell.site !2)"));
  EXPECT_EQ(all.at(1), Names{"realloc"});
  EXPECT_EQ(all.at(2), Names{"a"});
}

TEST(PointsTo, UnknownCodeReachesWhatItIsGivenAndNoMore) {
  const Analyzed all = analyze(in_main(R"(
  store ptr @a, ptr @pair
  call void @mystery(ptr @pair)
  %x = load ptr, ptr @pair
  store i64 1, ptr %x, !foretell.site !1
  store ptr @b, ptr @p
  %y = load ptr, ptr @p
  store i64 1, ptr %y, !foretell.site !2
  %z = call ptr @find_it()
  store ptr @b, ptr %z, !foretell.site !3)"));
  EXPECT_EQ(all.at(1), Names{"unknown"});  // a among others
  EXPECT_EQ(all.at(2), Names{"b"});
  EXPECT_EQ(all.at(3), Names{"unknown"});
  for (const program::Object& object : all.facts.objects)
    EXPECT_EQ(object.reaches_unknown,
              object.name == "pair" || object.name == "a" || object.name == "b")
        << object.name;
}

TEST(PointsTo, ThreadsGetTheirArgumentsAndReturnResults) {
  const Analyzed all = analyze(R"(
define ptr @work(ptr %x) {
  store i64 1, ptr %x, !foretell.site !1
  ret ptr @b
}
define i32 @main() {
  %t = call i32 @pthread_create(ptr null, ptr null, ptr @work, ptr @a)
  %j = call i32 @pthread_join(i64 0, ptr @p)
  %r = load ptr, ptr @p
  store i64 1, ptr %r, !foretell.site !2
  ret i32 0
})");
  EXPECT_EQ(all.at(1), Names{"a"});
  EXPECT_EQ(all.at(2), Names{"b"});
}

TEST(PointsTo, SortingComparesElements) {
  const Analyzed all = analyze(R"(
define i32 @compare(ptr %x, ptr %y) {
  %z = load i64, ptr %y, !foretell.site !1
  ret i32 0
}
define i32 @main() {
  call void @qsort(ptr @array, i64 100, i64 24, ptr @compare)
  ret i32 0
})");
  EXPECT_EQ(all.at(1), Names{"array+?"});
}

TEST(PointsTo, SearchingAStringPointsIntoIt) {
  const Analyzed all = analyze(in_main(R"(
  %s = call ptr @strdup(ptr @a)
  %x = call ptr @strchr(ptr %s, i32 47)
  store i8 0, ptr %x, !foretell.site !1)"));
  EXPECT_EQ(all.at(1), Names{"strdup+?"});
}

TEST(PointsTo, ListsThatPointToThemselvesEnd) {
  const Analyzed all = analyze(R"(
define i32 @main(i32 %n, ptr %args) {
  br label %loop
loop:
  %head = phi ptr [ null, %0 ], [ %new, %loop ]
  %new = call ptr @malloc(i64 16)
  store ptr %head, ptr %new
  %next = load ptr, ptr %new
  %last = load ptr, ptr %next, !foretell.site !1
  store ptr @a, ptr %last, !foretell.site !2
  br label %loop
})");
  EXPECT_EQ(all.at(1), (Names{"a", "malloc"}));
  EXPECT_EQ(all.at(2), (Names{"a", "malloc"}));
}

}  // namespace
}  // namespace foretell::bitcode
