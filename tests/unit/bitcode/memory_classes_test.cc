// SPDX-License-Identifier: Apache-2.0

#include "bitcode/memory_classes.h"

#include <gtest/gtest.h>

namespace foretell::bitcode {
namespace {

TEST(MemoryClasses, UnitingUnitesContents) {
  MemoryClasses classes;
  const ClassId a = classes.add(), b = classes.add();
  const ClassId in_a = classes.content(a), in_b = classes.content(b);
  const ClassId deep_b = classes.content(in_b);
  EXPECT_FALSE(classes.same(in_a, in_b));
  classes.unite(a, b);
  EXPECT_TRUE(classes.same(in_a, in_b));
  EXPECT_TRUE(classes.same(classes.content(classes.content(a)), deep_b));
}

TEST(MemoryClasses, AListThatPointsToItselfEnds) {
  MemoryClasses classes;
  const ClassId a = classes.add(), b = classes.add();
  classes.unite(classes.content(a), b);
  classes.unite(classes.content(b), a);
  classes.unite(a, b);
  EXPECT_TRUE(classes.same(a, classes.content(a)));
}

TEST(MemoryClasses, TheUnknownTakesAllThatIsReachable) {
  MemoryClasses classes;
  const ClassId a = classes.add(), other = classes.add();
  const ClassId deep = classes.content(classes.content(a));
  classes.make_unknown(a);
  EXPECT_TRUE(classes.is_unknown(deep));
  EXPECT_TRUE(classes.is_unknown(classes.content(deep)));
  EXPECT_FALSE(classes.is_unknown(other));
}

TEST(MemoryClasses, ContentIsMadeWhenAskedFor) {
  MemoryClasses classes;
  const ClassId a = classes.add();
  EXPECT_FALSE(classes.has_content(a));
  classes.content(a);
  EXPECT_TRUE(classes.has_content(a));
}

}  // namespace
}  // namespace foretell::bitcode
