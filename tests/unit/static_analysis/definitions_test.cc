// SPDX-License-Identifier: Apache-2.0

// STATICDET's theorems and lemmas as properties of random programs, all of whose executions are
// enumerated, and its figures.

#include "static_analysis/memory/definitions.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "static_analysis/domain/number.h"
#include "static_analysis/domain/observation.h"
#include "unit/static_analysis/small_program.h"

namespace foretell::static_analysis::memory {
namespace {

using domain::Interval;
using domain::Number;
using domain::Sign;
using Random = std::mt19937_64;

constexpr Writer kOne{1}, kTwo{2};
constexpr unsigned kBits = kBitsOfDefinitions;

template <typename V>
class Definitions : public testing::Test {};
using AllValues = testing::Types<Interval, Sign, Number>;
TYPED_TEST_SUITE(Definitions, AllValues);

// An abstract state that need not be the abstraction of anything.
template <typename V>
AbstractState<ThreadValues<V>> disturbed(AbstractState<ThreadValues<V>> state, Random& random) {
  for (auto& [thread, trace] : state) {
    if (random() % 8 == 0) trace.pop_back();
    for (auto& memory : trace)
      for (auto& [variable, cell] : memory) {
        const Writer writer{static_cast<uint32_t>(random() % 4)};
        if (random() % 3 == 0) cell = cell.join(ThreadValues<V>::written(writer, V::top(kBits)));
        if (random() % 12 == 0) cell = cell.without(writer);
      }
  }
  return state;
}

Executions part_of(const Executions& all, Random& random) {
  Executions part;
  for (const Execution& one : all)
    if (random() % 3 != 0) part.insert(one);
  return part;
}

TYPED_TEST(Definitions, theorem_1) {
  Random random(1);
  int below = 0, described = 0;
  for (int i = 0; i < 200; i++) {
    const Executions all = executions_of(random_program(random), 1);
    const Executions part = part_of(all, random);
    const auto state = disturbed(abstracted<TypeParam>(part_of(all, random)), random);
    const bool is_under = is_below(abstracted<TypeParam>(part), state);
    const bool is_in =
        std::ranges::all_of(part, [&](const Execution& one) { return is_described(one, state); });
    EXPECT_EQ(is_under, is_in);
    below += is_under;
    described += !is_under;
    // The abstraction is the least that describes all.
    for (const Execution& one : all) EXPECT_TRUE(is_described(one, abstracted<TypeParam>(all)));
  }
  EXPECT_GT(below, 10);
  EXPECT_GT(described, 10);
}

// Whether each cell of the first is one that the second stands for.
template <typename V>
bool stands_for(const AbstractState<JoinedValue<V>>& joined,
                const AbstractState<ThreadValues<V>>& state) {
  for (const auto& [thread, trace] : state) {
    const auto found = joined.find(thread);
    if (found == joined.end() || found->second.size() < trace.size()) return false;
    for (size_t i = 0; i < trace.size(); i++)
      for (const auto& [variable, cell] : trace[i]) {
        const auto known = found->second[i].find(variable);
        if (known == found->second[i].end()) return false;
        for (const auto& [writer, value] : cell.values())
          if (!known->second.writers().contains(writer) || !value.is_below(*known->second.read()))
            return false;
      }
  }
  return true;
}

TYPED_TEST(Definitions, theorem_2) {
  Random random(2);
  int yes = 0, no = 0;
  for (int i = 0; i < 200; i++) {
    const Executions all = executions_of(random_program(random), 1);
    const auto state = disturbed(abstracted<TypeParam>(part_of(all, random)), random);
    const auto other = joined(disturbed(abstracted<TypeParam>(all), random));
    EXPECT_EQ(is_below(joined(state), other), stands_for(other, state));
    (stands_for(other, state) ? yes : no)++;
  }
  EXPECT_GT(yes, 10);
  EXPECT_GT(no, 10);
}

// W and R with a set of memories, and their abstractions.
TYPED_TEST(Definitions, lemmas_1_and_2) {
  using One = ThreadValues<TypeParam>;
  using Two = JoinedValue<TypeParam>;
  Random random(3);
  for (int i = 0; i < 500; i++) {
    std::set<ConcreteMemory> memories;
    for (uint64_t left = 1 + random() % 4; left > 0; left--)
      memories.insert({{"x", {static_cast<int64_t>(random() % 9) - 4, Writer(random() % 3)}},
                       {"y", {static_cast<int64_t>(random() % 9), Writer(random() % 3)}}});
    AbstractMemory<One> level_1;
    for (const auto& memory : memories) level_1 = join(level_1, abstracted<TypeParam>(memory));
    const auto read = level_1.at("x").read();
    for (const auto& memory : memories) EXPECT_TRUE(read->contains(memory.at("x").first));
    const Two level_2 = Two::of(level_1.at("x"));
    EXPECT_TRUE(read->is_below(*level_2.read()));

    const int64_t value = static_cast<int64_t>(random() % 9) - 4;
    AbstractMemory<One> written = level_1;
    written["x"] = One::written(kOne, TypeParam::of(kBits, value));
    for (auto memory : memories) {
      memory["x"] = {value, kOne};
      EXPECT_TRUE(is_below(abstracted<TypeParam>(memory), written));
    }
    EXPECT_EQ(Two::of(written["x"]), Two::written(kOne, TypeParam::of(kBits, value)));
  }
}

TYPED_TEST(Definitions, lemmas_3_and_4) {
  Random random(4);
  int deterministic = 0, proved = 0;
  for (int i = 0; i < 400; i++) {
    const SmallProgram program = random_program(random);
    for (const int64_t input : {0, 2}) {
      const Executions all = executions_of(program, input);
      const bool concrete = is_deterministic(all);
      const auto level_1 = abstracted<TypeParam>(all);
      const bool first = is_deterministic(level_1), second = is_deterministic(joined(level_1));
      EXPECT_TRUE(concrete || !first) << "lemma 3";
      EXPECT_TRUE(first || !second) << "lemma 4";
      // 4.3 keeps the writers, so nothing is lost either; and 3.3 keeps them too.
      EXPECT_EQ(first, second);
      deterministic += concrete;
      proved += first;
    }
  }
  EXPECT_EQ(deterministic, proved);
  EXPECT_GT(deterministic, 100);
  EXPECT_LT(deterministic, 700);
}

// Inputs taken together make writers of different runs look like those of one.
TEST(Determinism, inputs_are_not_schedules) {
  SmallProgram program{
      .initial = {{"x", {0, kSystem}}},
      .threads = {{{.variable = "x", .of = {}, .input_factor = 1, .if_positive = true}}}};
  Executions both = executions_of(program, 0);
  EXPECT_TRUE(is_deterministic(both));
  const Executions other = executions_of(program, 1);
  EXPECT_TRUE(is_deterministic(other));
  both.insert(other.begin(), other.end());
  EXPECT_FALSE(is_deterministic(both));
}

// The running example: a deposit and a withdrawal of 100, each a locked section (figure 1).
const Variable kAmount = "account.amount";
SmallProgram account(bool is_withdraw2) {
  return {
      .initial = {{kAmount, {1000, kSystem}}},
      .threads = {
          {{.variable = kAmount, .of = kAmount, .constant = 100}},
          {{.variable = kAmount, .of = kAmount, .constant = -100, .if_positive = is_withdraw2}}}};
}

ConcreteMemory amount(int64_t value, Writer writer) {
  return {{kAmount, {value, writer}}};
}

TEST(Figures, figure_2) {
  const Execution deposit_first = {{kOne, {amount(1000, kSystem), amount(1100, kOne)}},
                                   {kTwo, {amount(1100, kOne), amount(1000, kTwo)}}};
  const Execution withdrawal_first = {{kOne, {amount(900, kTwo), amount(1000, kOne)}},
                                      {kTwo, {amount(1000, kSystem), amount(900, kTwo)}}};
  EXPECT_EQ(executions_of(account(false), 0), (Executions{deposit_first, withdrawal_first}));
}

Interval between(int64_t low, int64_t high) {
  return Interval::between(kBits, low, high);
}

TEST(Figures, figure_3) {
  const auto state = abstracted<Interval>(executions_of(account(false), 0));
  using Values = std::map<Writer, Interval>;
  EXPECT_EQ(state.at(kOne)[0].at(kAmount).values(),
            (Values{{kSystem, between(1000, 1000)}, {kTwo, between(900, 900)}}));
  EXPECT_EQ(state.at(kOne)[1].at(kAmount).values(), (Values{{kOne, between(1000, 1100)}}));
  EXPECT_EQ(state.at(kTwo)[0].at(kAmount).values(),
            (Values{{kSystem, between(1000, 1000)}, {kOne, between(1100, 1100)}}));
  EXPECT_EQ(state.at(kTwo)[1].at(kAmount).values(), (Values{{kTwo, between(900, 1000)}}));
}

TEST(Figures, figure_4) {
  const auto state = joined(abstracted<Interval>(executions_of(account(false), 0)));
  EXPECT_EQ(*state.at(kOne)[0].at(kAmount).read(), between(900, 1000));
  EXPECT_EQ(state.at(kOne)[0].at(kAmount).writers(), (std::set{kSystem, kTwo}));
  EXPECT_EQ(*state.at(kOne)[1].at(kAmount).read(), between(1000, 1100));
  EXPECT_EQ(*state.at(kTwo)[0].at(kAmount).read(), between(1000, 1100));
  EXPECT_EQ(state.at(kTwo)[0].at(kAmount).writers(), (std::set{kSystem, kOne}));
  EXPECT_EQ(*state.at(kTwo)[1].at(kAmount).read(), between(900, 1000));
}

// What each thread reads has another writer in the other execution; what it writes is its own.
TEST(Figures, figure_5) {
  const Executions all = executions_of(account(false), 0);
  const Execution &one = *all.begin(), &other = *all.rbegin();
  for (const Writer thread : {kOne, kTwo}) {
    EXPECT_FALSE(is_deterministic(one.at(thread)[0], other.at(thread)[0]));
    EXPECT_TRUE(is_deterministic(one.at(thread)[1], other.at(thread)[1]));
  }
  EXPECT_FALSE(is_deterministic(all));
  EXPECT_FALSE(is_deterministic(abstracted<Interval>(all)));
  EXPECT_FALSE(is_deterministic(joined(abstracted<Interval>(all))));
}

TEST(Figures, figure_6) {
  const Executions all = executions_of(account(true), 0);
  const auto signs = abstracted<Sign>(all);
  using Values = std::map<Writer, Sign>;
  const Sign positive = Sign::of(kBits, 1);
  EXPECT_EQ(signs.at(kTwo)[0].at(kAmount).values(),
            (Values{{kSystem, positive}, {kOne, positive}}));
  EXPECT_EQ(signs.at(kTwo)[1].at(kAmount).values(), (Values{{kTwo, positive}}));
  EXPECT_TRUE(is_weakly_deterministic(signs));
  EXPECT_FALSE(is_deterministic(signs));
  EXPECT_FALSE(is_weakly_deterministic(abstracted<Interval>(all)));
}

TEST(Levels, the_top_of_two_writers_is_not_one_value) {
  const auto top = ThreadValues<Sign>::written(kOne, Sign::top(kBits))
                       .join(ThreadValues<Sign>::written(kTwo, Sign::top(kBits)));
  // Definition 3 takes it for weakly deterministic; the blocks of an observation do not.
  EXPECT_TRUE(is_weakly_deterministic(AbstractMemory<ThreadValues<Sign>>{{"x", top}}));
  EXPECT_FALSE(domain::Observation::parse("sign")->block_of(Number::top(kBits)));
}

// Where one value for all threads says less than one for each.
TEST(Levels, the_second_is_coarser) {
  using One = ThreadValues<Interval>;
  using Two = JoinedValue<Interval>;
  const One values = One::written(kOne, between(-5, -5)).join(One::written(kTwo, between(7, 7)));
  const Two joined = Two::of(values);
  // Who wrote what: the second thread's value is positive, which level 2 does not know.
  EXPECT_EQ(values.values().at(kTwo), between(7, 7));
  EXPECT_EQ(*joined.read(), between(-5, 7));
  // Without one writer.
  EXPECT_EQ(*values.without(kOne).read(), between(7, 7));
  EXPECT_EQ(*joined.without(kOne).read(), between(-5, 7));
  // When one thread's value grows, the other's stays.
  const One grown = values.join(One::written(kTwo, between(8, 8)));
  EXPECT_EQ(values.widen(grown, {}).values().at(kOne), between(-5, -5));
  EXPECT_EQ(values.widen(grown, {}).without(kTwo).read(), between(-5, -5));
  EXPECT_EQ(joined.widen(Two::of(grown), {}).without(kTwo).read()->high(), domain::largest(kBits));
}

}  // namespace
}  // namespace foretell::static_analysis::memory
