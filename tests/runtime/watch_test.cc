// SPDX-License-Identifier: Apache-2.0

// Watching without a program: steps of made-up threads, and the granules that become contended.
// Random scripts are compared with a model that keeps the whole order of all steps.

#include "runtime/watch/watcher.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <vector>

#include "recording/watching.h"
#include "runtime/watch/clock.h"
#include "runtime/watch/places.h"
#include "runtime/watch/shadow.h"
#include "runtime/watch/stretches.h"
#include "runtime/watch/synchronization.h"
#include "runtime/watch/writers.h"

namespace foretell::rt::watch {
namespace {

using recording::Op;

constexpr size_t kGranules = 6;
alignas(8) uint64_t memory_[kGranules];

// Threads with their watchers. Memory is fresh, and nobody knows anybody.
class Script {
 public:
  explicit Script(size_t threads) : watchers_(threads) {
    static const bool started = start("");
    EXPECT_TRUE(started);
    for (uint64_t& granule : memory_) word_of(address(granule)) = 0;
    if (!creator_) creator_ = new_watcher(nullptr);
    for (size_t i = 0; i < threads; i++) watchers_[i] = new_watcher(creator_);
  }
  // Whoever comes after all that they did may have their slots.
  ~Script() {
    for (Watcher* watcher : watchers_) {
      acquire_from(*creator_, watcher->clock);
      end_watcher(watcher);
    }
    EXPECT_FALSE(gave_up);
  }

  void read(size_t thread, size_t granule) { touched(thread, granule, Touch::read); }
  void write(size_t thread, size_t granule) { touched(thread, granule, Touch::write); }
  void step(size_t thread, Op op, uint64_t value, uint64_t extension = 0) {
    const uint64_t words[] = {value, extension};
    follow(watchers_[thread], {op, &barrier_, words, 0});
  }
  void fork(size_t thread, size_t child) {
    const uint64_t words[] = {0, 0};
    acquire_from(*creator_, watchers_[child]->clock);
    end_watcher(watchers_[child]);
    const auto* number = reinterpret_cast<void*>(++forked_);
    follow(watchers_[thread], {Op::Fork, number, words, 0});
    watchers_[child] = nullptr;
    follow(watchers_[child], {Op::ThreadBegin, number, words, 0});
  }
  // A plain variable that others read to decide what they do; it is contended.
  void publish(size_t thread, size_t granule) {
    begin_segment(*watchers_[thread]);
    step(thread, Op::Acquire, 0);
    write(thread, granule);
    follow_write(*watchers_[thread], &memory_[granule], 4);
    step(thread, Op::Release, 0);
  }
  void learn(size_t thread, size_t granule, size_t offset = 0) {
    step(thread, Op::Acquire, 0);
    learn_unlocked(thread, granule, offset);
    step(thread, Op::Release, 0);
  }
  void learn_unlocked(size_t thread, size_t granule, size_t offset = 0) {
    read(thread, granule);
    const char* at = reinterpret_cast<char*>(&memory_[granule]) + offset;
    follow_read(*watchers_[thread], at, 4);
  }
  bool contended(size_t granule) const {
    return word_of(address(memory_[granule])) == watching::kFound;
  }

 private:
  static uint64_t address(uint64_t& granule) { return reinterpret_cast<uint64_t>(&granule); }
  void touched(size_t thread, size_t granule, Touch how) {
    touch(*watchers_[thread], &memory_[granule], 4, how);
  }

  std::vector<Watcher*> watchers_;
  int barrier_ = 0;
  static inline uintptr_t forked_ = 1000;
  static inline Watcher* creator_ = nullptr;
};

uint64_t next_ticket() {
  static uint64_t ticket = 0;
  return ++ticket;
}

uint64_t next_generation() {
  static uint64_t generation = 0;
  return ++generation;
}

TEST(Watch, AWriteAndAReadOfAnotherThreadAreContended) {
  Script script(2);
  script.write(0, 0);
  script.read(1, 0);
  script.write(0, 1);
  EXPECT_TRUE(script.contended(0));
  EXPECT_FALSE(script.contended(1));
}

TEST(Watch, ReadsOfTwoThreadsAreNotContended) {
  Script script(2);
  script.read(0, 0);
  script.read(1, 0);
  script.read(0, 0);
  EXPECT_FALSE(script.contended(0));
}

TEST(Watch, AWriteIsHeldAgainstAllReadersNotOnlyTheLast) {
  Script script(3);
  const uint64_t ticket = next_ticket();
  script.read(0, 0);
  script.read(1, 0);
  script.step(1, Op::SemaphorePost, 0, ticket);
  script.step(2, Op::SemaphoreWait, 0, ticket);
  script.write(2, 0);
  EXPECT_TRUE(script.contended(0));
}

TEST(Watch, APostOrdersWhatCameBeforeIt) {
  Script script(2);
  const uint64_t ticket = next_ticket();
  script.write(0, 0);
  script.step(0, Op::SemaphorePost, 0, ticket);
  script.write(0, 1);
  script.step(1, Op::SemaphoreWait, 0, ticket);
  script.write(1, 0);
  script.write(1, 1);
  EXPECT_FALSE(script.contended(0));
  EXPECT_TRUE(script.contended(1));
}

TEST(Watch, AWaitForAnotherPostOrdersNothing) {
  Script script(2);
  script.write(0, 0);
  script.step(0, Op::SemaphorePost, 0, next_ticket());
  script.step(1, Op::SemaphoreWait, 0, next_ticket());
  script.write(1, 0);
  EXPECT_TRUE(script.contended(0));
}

TEST(Watch, ABarrierOrdersBothWays) {
  Script script(2);
  const uint64_t generation = next_generation();
  script.write(0, 0);
  script.write(1, 1);
  script.step(0, Op::BarrierEnter, generation);
  script.step(1, Op::BarrierEnter, generation);
  script.step(1, Op::BarrierExit, generation);
  script.step(0, Op::BarrierExit, generation);
  script.write(0, 1);
  script.write(1, 0);
  EXPECT_FALSE(script.contended(0));
  EXPECT_FALSE(script.contended(1));
}

TEST(Watch, ACreatedThreadKnowsItsCreatorUntilThen) {
  Script script(2);
  script.write(0, 0);
  script.fork(0, 1);
  script.write(0, 1);
  script.write(1, 0);
  script.write(1, 1);
  EXPECT_FALSE(script.contended(0));
  EXPECT_TRUE(script.contended(1));
}

TEST(Watch, LocksOrderNothing) {
  Script script(2);
  script.step(0, Op::Acquire, 0);
  script.write(0, 0);
  script.step(0, Op::Release, 0);
  script.step(1, Op::Acquire, 0);
  script.write(1, 0);
  EXPECT_TRUE(script.contended(0));
}

TEST(Watch, WhatAnAtomicReleasesIsKnownToWhoAcquiresIt) {
  Script script(2);
  const auto packed = [](MemoryOrder order) { return recording::AtomicValue{order, 4}.packed(); };
  script.write(0, 0);
  script.step(0, Op::AtomicWrite, packed(MemoryOrder::release), 1);
  script.step(1, Op::AtomicRead, packed(MemoryOrder::acquire), 1);
  script.write(1, 0);
  EXPECT_FALSE(script.contended(0));
}

TEST(Watch, ARelaxedAtomicOrdersNothing) {
  Script script(2);
  const auto packed = [](MemoryOrder order) { return recording::AtomicValue{order, 4}.packed(); };
  script.write(0, 0);
  script.step(0, Op::AtomicWrite, packed(MemoryOrder::relaxed), 1);
  script.step(1, Op::AtomicRead, packed(MemoryOrder::acquire), 1);
  script.write(1, 0);
  EXPECT_TRUE(script.contended(0));
}

// The model: every step has the set of steps before it, and nothing is ever forgotten.
class Model {
 public:
  explicit Model(size_t threads) : last_(threads) {}

  // A step of the thread after all steps that `sources` know; returns its number.
  size_t step(size_t thread, const std::vector<size_t>& sources) {
    std::vector<bool> before(before_.size() + 1);
    const auto join = [&](size_t step) {
      for (size_t i = 0; i < before_[step].size(); i++) before[i] = before[i] || before_[step][i];
      before[step] = true;
    };
    if (last_[thread]) join(*last_[thread]);
    for (size_t source : sources) join(source);
    last_[thread] = before_.size();
    before_.push_back(before);
    return *last_[thread];
  }
  void access(size_t thread, size_t granule, bool write) {
    const size_t number = step(thread, {});
    for (const Access& other : accesses_[granule]) {
      const bool conflicts = other.thread != thread && (other.write || write);
      contended_[granule] |= conflicts && !before_[number][other.step];
    }
    accesses_[granule].push_back({thread, number, write});
  }
  bool contended(size_t granule) const { return contended_[granule]; }

 private:
  struct Access {
    size_t thread, step;
    bool write;
  };
  std::vector<std::optional<size_t>> last_;
  std::vector<std::vector<bool>> before_;  // by step, those before it
  std::vector<Access> accesses_[kGranules];
  bool contended_[kGranules] = {};
};

TEST(Watch, MemoryWithTheSameShadowIsNoticed) {
  constexpr uint64_t kHere = uint64_t{1} << 42;
  claim(kHere, 4096);
  claim(kHere + 8192, 4096);
  EXPECT_FALSE(shadow_overlaps);
  claim(kHere + watching::kShadowSize, 8);
  EXPECT_TRUE(shadow_overlaps);
}

// Granule 5 is contended from the beginning.
void contend(Script& script, size_t granule) {
  script.write(0, granule);
  script.write(1, granule);
  ASSERT_TRUE(script.contended(granule));
}

TEST(Watch, AReadThatDecidesComesAfterWhatCameBeforeTheWrite) {
  Script script(2);
  contend(script, 5);
  script.write(0, 0);
  script.publish(0, 5);
  script.write(0, 1);
  script.learn(1, 5);
  script.write(1, 0);
  script.write(1, 1);
  EXPECT_FALSE(script.contended(0));
  EXPECT_TRUE(script.contended(1));
}

TEST(Watch, AReadOfOtherBytesOfTheGranuleLearnsNothing) {
  Script script(2);
  contend(script, 5);
  script.write(0, 0);
  script.publish(0, 5);
  forget_writers(reinterpret_cast<char*>(&memory_[5]) + 4, 4);
  script.learn(1, 5, 4);
  script.write(1, 0);
  EXPECT_TRUE(script.contended(0));
}

TEST(Watch, AReadWithoutTheLockOfTheWriteLearnsNothing) {
  Script script(2);
  contend(script, 5);
  script.write(0, 0);
  script.publish(0, 5);
  script.learn_unlocked(1, 5);
  script.write(1, 0);
  EXPECT_TRUE(script.contended(0));
}

TEST(Watch, AReadAfterAWriteThatNobodySawLearnsNothing) {
  Script script(2);
  contend(script, 5);
  script.write(0, 0);
  script.publish(0, 5);
  forget_writers(&memory_[5], 8);
  script.learn(1, 5);
  script.write(1, 0);
  EXPECT_TRUE(script.contended(0));
}

TEST(Watch, RandomScriptsWithReadsFromAgreeWithTheModel) {
  constexpr size_t kThreads = 4, kChannel = 5;
  size_t contended = 0, quiet = 0;
  for (unsigned seed = 0; seed < 500; seed++) {
    std::mt19937 random(seed);
    const auto below = [&](size_t n) { return random() % n; };
    Script script(kThreads);
    Model model(kThreads);
    contend(script, kChannel);
    forget_writers(&memory_[kChannel], 8);
    std::vector<size_t> before_write;  // the step before the last write of the channel, if any
    size_t writer = kThreads;
    for (int i = 0; i < 40; i++) {
      const size_t thread = below(kThreads), what = below(8), granule = below(kChannel);
      if (what < 3) {
        script.read(thread, granule);
        model.access(thread, granule, false);
      } else if (what == 3) {
        script.write(thread, granule);
        model.access(thread, granule, true);
      } else if (what < 6) {
        script.publish(thread, kChannel);
        before_write = {model.step(thread, {})};
        writer = thread;
      } else {
        script.learn(thread, kChannel);
        model.step(thread, thread == writer ? std::vector<size_t>() : before_write);
      }
    }
    for (size_t granule = 0; granule < kChannel; granule++) {
      EXPECT_EQ(script.contended(granule), model.contended(granule)) << seed << ' ' << granule;
      (model.contended(granule) ? contended : quiet)++;
    }
  }
  EXPECT_GT(contended, 100u);
  EXPECT_GT(quiet, 100u);
}

TEST(Watch, RandomScriptsAgreeWithTheModel) {
  constexpr size_t kThreads = 4;
  size_t contended = 0, quiet = 0;
  for (unsigned seed = 0; seed < 300; seed++) {
    std::mt19937 random(seed);
    const auto below = [&](size_t n) { return random() % n; };
    Script script(kThreads);
    Model model(kThreads);
    std::vector<std::pair<uint64_t, size_t>> posts;  // ticket, step
    for (int i = 0; i < 40; i++) {
      const size_t thread = below(kThreads);
      const size_t what = below(10);
      if (what < 4) {
        const size_t granule = below(kGranules);
        script.read(thread, granule);
        model.access(thread, granule, false);
      } else if (what == 4) {
        const size_t granule = below(kGranules);
        script.write(thread, granule);
        model.access(thread, granule, true);
      } else if (what < 7 || posts.empty()) {
        const uint64_t ticket = next_ticket();
        script.step(thread, Op::SemaphorePost, 0, ticket);
        posts.emplace_back(ticket, model.step(thread, {}));
      } else if (what < 9) {
        const auto [ticket, step] = posts[below(posts.size())];
        script.step(thread, Op::SemaphoreWait, 0, ticket);
        model.step(thread, {step});
      } else {
        const uint64_t generation = next_generation();
        std::vector<size_t> enters;
        for (size_t t = 0; t < kThreads; t++) {
          script.step(t, Op::BarrierEnter, generation);
          enters.push_back(model.step(t, {}));
        }
        for (size_t t = 0; t < kThreads; t++) {
          script.step(t, Op::BarrierExit, generation);
          model.step(t, enters);
        }
      }
    }
    for (size_t granule = 0; granule < kGranules; granule++) {
      ASSERT_EQ(script.contended(granule), model.contended(granule))
          << "seed " << seed << ", granule " << granule;
      (model.contended(granule) ? contended : quiet)++;
    }
  }
  EXPECT_GT(contended, 150u);
  EXPECT_GT(quiet, 150u);
}

TEST(Stretches, NeighborsAndOverlapsBecomeOne) {
  Stretches stretches;
  stretches.add({16, 24});
  stretches.add({0, 8});
  stretches.add({8, 12});
  stretches.add({12, 17});
  ASSERT_EQ(stretches.end() - stretches.begin(), 1);
  EXPECT_EQ(stretches.begin()->begin, 0);
  EXPECT_EQ(stretches.begin()->end, 24);
}

TEST(Stretches, ContainWhatWasAddedAlsoWhenRoomRunsOut) {
  std::mt19937 random(1);
  Stretches stretches;
  std::vector<Stretch> added;
  for (int i = 0; i < 5000; i++) {
    const auto begin = static_cast<int64_t>(random() % 1'000'000) * 8;
    added.push_back({begin, begin + 8});
    stretches.add(added.back());
  }
  EXPECT_LE(stretches.end() - stretches.begin(), Stretches::kMost);
  for (const Stretch& one : added) ASSERT_TRUE(stretches.contains(one));
  for (const Stretch* at = stretches.begin(); at + 1 < stretches.end(); at++) {
    ASSERT_LT(at->end, (at + 1)->begin);
  }
}

}  // namespace
}  // namespace foretell::rt::watch
