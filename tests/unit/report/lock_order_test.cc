// SPDX-License-Identifier: Apache-2.0

#include "report/lock_order.h"

#include <gtest/gtest.h>

namespace foretell::report {
namespace {

finding::DescribedEvent wants(std::string thread, std::string lock, std::string site) {
  return {.thread = std::move(thread),
          .operation = trace::EventKind::Acquire,
          .object = std::move(lock),
          .site = site};
}

TEST(LockOrder, NamesTheOrderAndWhoDoesNotKeepIt) {
  finding::Finding f{.details = finding::DeadlockFinding{.is_cycle = true}};
  f.events = {wants("T1", "b", "x.cc:1"), wants("T2", "c", "x.cc:2"), wants("T3", "a", "x.cc:3")};
  EXPECT_EQ(lock_order(f), "lock 'a' before 'b' before 'c' everywhere; T3 does not (x.cc:3)");
}

TEST(LockOrder, SameLineNeedsAnotherWay) {
  finding::Finding f{.details = finding::DeadlockFinding{.is_cycle = true}};
  f.events = {wants("T1", "b", "x.cc:1"), wants("T2", "a", "x.cc:1")};
  EXPECT_EQ(lock_order(f), "take both at once with std::scoped_lock, or in one order (by address)");
}

TEST(LockOrder, HasNoWordOnOtherDeadlocks) {
  finding::Finding f{.details = finding::DeadlockFinding{}};
  f.events = {wants("T1", "b", ""), wants("T2", "a", "")};
  EXPECT_EQ(lock_order(f), "");
  f.as<finding::DeadlockFinding>()->is_cycle = true;
  f.events[0].operation = trace::EventKind::WaitBegin;
  EXPECT_EQ(lock_order(f), "");
  f.events = {wants("T1", "a", "")};
  EXPECT_EQ(lock_order(f), "");
}

}  // namespace
}  // namespace foretell::report
