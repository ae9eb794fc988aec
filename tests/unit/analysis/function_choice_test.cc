// SPDX-License-Identifier: Apache-2.0

// Which functions a name means.
#include "analysis/atomicity/function_choice.h"

#include <gtest/gtest.h>

namespace foretell::analysis {
namespace {

TEST(FunctionChoice, WithAndWithoutScopesAndParameters) {
  constexpr std::string_view kFunction = "bank::Account::add(std::pair<int, int>)";
  for (std::string_view name :
       {"add", "Account::add", "bank::Account::add", "bank::Account::add(std::pair<int, int>)"}) {
    EXPECT_TRUE(means_function(name, kFunction)) << name;
  }
  for (std::string_view name : {"ad", "dd", "t::add", "pair", "Account"}) {
    EXPECT_FALSE(means_function(name, kFunction)) << name;
  }
}

TEST(FunctionChoice, ParenthesesThatAreNoParameters) {
  EXPECT_TRUE(means_function("f", "(anonymous namespace)::f(int)"));
  EXPECT_TRUE(means_function("operator()", "Visit::operator()(int)"));
}

TEST(FunctionChoice, TemplatesWithAndWithoutTheirArguments) {
  constexpr const char* kPush =
      "void std::vector<int, std::allocator<int> >::emplace_back<long&>(long&)";
  for (const char* name : {"emplace_back", "vector::emplace_back", "std::vector::emplace_back",
                           "std::vector<int, std::allocator<int> >::emplace_back<long&>"}) {
    EXPECT_TRUE(means_function(name, kPush)) << name;
  }
  EXPECT_FALSE(means_function("std::vector<long>::emplace_back", kPush));
  EXPECT_FALSE(means_function("allocator", kPush));
  EXPECT_TRUE(means_function("call", "int call<void (*)(int)>(void (*)(int))"));
  EXPECT_TRUE(means_function("operator<<", "std::ostream& operator<<<int>(std::ostream&, int)"));
  EXPECT_TRUE(means_function("Box::operator->", "Box<int>::operator->() const"));
  EXPECT_TRUE(means_function("name", "name[abi:cxx11](int)"));
}

TEST(FunctionChoice, SaysWhichNamesNobodyHas) {
  FunctionChoice choice(false, {"add", "sub"});
  EXPECT_TRUE(choice.contains(FunctionId{0}, "add(int)"));
  EXPECT_FALSE(choice.contains(FunctionId{1}, "mul(int)"));
  EXPECT_EQ(choice.unmet(), std::vector<std::string>{"sub"});
}

TEST(FunctionChoice, All) {
  FunctionChoice choice(true, {});
  EXPECT_TRUE(choice.contains(FunctionId{0}, "anything"));
  EXPECT_FALSE(choice.is_empty());
}

}  // namespace
}  // namespace foretell::analysis
