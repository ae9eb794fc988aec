// SPDX-License-Identifier: Apache-2.0

// Recordings of threads that ran at once: which order their steps get, and which reads are
// ambiguous.
#include <algorithm>
#include <map>
#include <optional>
#include <random>

#include "trace/recording/contested_memory.h"
#include "unit/trace/recording_testing.h"

namespace foretell::trace {
namespace {

using enum recording::Op;

constexpr uint64_t kX = 0x9000, kY = 0x9100;

class ParallelBuilder : public RecordingBuilder {
 public:
  ParallelBuilder() : RecordingBuilder(recording::Mode::parallel) {}

  // A synchronizing step with the next number.
  void sync(Op op, uint64_t address = 0, uint64_t value = 0,
            std::initializer_list<uint64_t> extensions = {}) {
    record(Sequence, 0, ++number_);
    record(op, 0, address, value, extensions);
  }
  // Fork of threads 1 and 2 by thread 0, and their beginnings.
  void fork_two() {
    for (uint64_t thread : {1, 2}) {
      on(0);
      sync(Fork, thread);
      on(thread);
      sync(ThreadBegin, thread, 0);
    }
  }

 private:
  uint64_t number_ = 0;
};

// The events without the forks and beginnings; ambiguous ones with a question mark.
std::string merged(const RecordingBuilder& builder) {
  Recorded recorded(builder);
  recorded.text();
  std::vector<Event> events(1000);
  auto got = recorded.reader().read(events);
  EXPECT_TRUE(got.has_value());
  std::string out;
  for (size_t i = 0; i < *got; ++i) {
    if (events[i].kind == EventKind::Fork || events[i].kind == EventKind::ThreadBegin) continue;
    std::string line;
    print_tiddle_event(events[i], recorded.reader().tables(), line);
    if (events[i].is_ambiguous()) line.insert(line.size() - 1, " ?");
    out += line;
  }
  recorded.reader().rewind();
  EXPECT_EQ(recorded.refusal(), "");
  return out;
}

TEST(RecordingParallel, SynchronizationKeepsItsOrder) {
  ParallelBuilder b;
  b.fork_two();
  b.on(2);
  b.sync(Acquire, 0x8000);
  b.record(Write4, 0, kX, 1);
  b.sync(Release, 0x8000);
  b.on(1);
  b.sync(Acquire, 0x8000);
  b.record(Read4, 0, kX, 1);
  b.sync(Release, 0x8000);
  EXPECT_EQ(merged(b),
            "acq T2 \"lock@T2:0\"\nwr T2 0x9000:4 1\nrel T2 \"lock@T2:0\"\n"
            "acq T1 \"lock@T2:0\"\nrd T1 0x9000:4 1\nrel T1 \"lock@T2:0\"\n");
}

// Nobody knows which notify woke which wait, and two that nobody has woken from yet are two.
TEST(RecordingParallel, NotifiesAndPostsHaveNoTickets) {
  ParallelBuilder b;
  b.fork_two();
  for (uint64_t thread : {1, 2}) {
    b.on(thread);
    b.sync(Acquire, 0x8000);
    b.sync(WaitBegin, 0x8100, 0x8000);
  }
  b.on(0);
  for (int i = 0; i < 2; ++i) b.sync(NotifyOne, 0x8100, 0, {0});
  for (int i = 0; i < 2; ++i) b.sync(SemaphorePost, 0x8200, 0, {0});
  for (uint64_t thread : {2, 1}) {
    b.on(thread);
    b.sync(WaitEnd, 0x8100, 0x8000, {0});
    b.sync(Release, 0x8000);
    b.sync(SemaphoreWait, 0x8200, 0, {0});
  }
  EXPECT_EQ(merged(b).find('#'), std::string::npos);
}

TEST(RecordingParallel, ARacyReadFollowsTheWriteOfItsValue) {
  ParallelBuilder b;
  b.fork_two();
  b.on(1);
  b.record(Read4, 0, kX, 7);
  b.on(2);
  b.record(Write4, 0, kX, 7);
  EXPECT_EQ(merged(b), "wr T2 0x9000:4 7\nrd T1 0x9000:4 7\n");
}

TEST(RecordingParallel, AReadOfAnotherValueThanAllWritesReadWhatWasThere) {
  ParallelBuilder b;
  b.fork_two();
  b.on(1);
  b.record(Write4, 0, kX, 7);
  b.on(2);
  b.record(Read4, 0, kX, 0);
  b.record(Read4, 0, kX, 0);
  b.record(Read4, 0, kX, 7);
  EXPECT_EQ(merged(b), "rd T2 0x9000:4 0\nrd T2 0x9000:4 0\nwr T1 0x9000:4 7\nrd T2 0x9000:4 7\n");
}

TEST(RecordingParallel, AWriteWaitsForReadsOfWhatItOverwrites) {
  ParallelBuilder b;
  b.fork_two();
  b.on(1);
  b.record(Write4, 0, kX, 1);
  b.record(Write4, 0, kX, 2);
  b.on(2);
  b.record(Write4, 0, kY, 5);
  b.record(Read4, 0, kX, 1);
  b.record(Read4, 0, kX, 2);
  EXPECT_EQ(merged(b),
            "wr T2 0x9100:4 5\nwr T1 0x9000:4 1\nrd T2 0x9000:4 1\nwr T1 0x9000:4 2\n"
            "rd T2 0x9000:4 2\n");
}

TEST(RecordingParallel, AReadThatNoOrderExplainsIsAmbiguous) {
  ParallelBuilder b;
  b.fork_two();
  b.on(1);
  b.record(Write4, 0, kX, 1);
  b.on(2);
  b.record(Write4, 0, kX, 2);
  b.record(Read4, 0, kX, 3);
  const std::string text = merged(b);
  EXPECT_NE(text.find("rd T2 0x9000:4 ?\n"), std::string::npos) << text;
}

TEST(RecordingParallel, ARacyReadWithoutValueIsAmbiguous) {
  ParallelBuilder b;
  b.fork_two();
  b.on(1);
  b.record(WriteRange, 0, kX, 16);
  b.on(2);
  b.record(ReadRange, 0, kX + 8, 16);
  b.record(ReadRange, 0, kY, 16);
  const std::string text = merged(b);
  EXPECT_NE(text.find("rd T2 0x9008:16 ?\n"), std::string::npos) << text;
  EXPECT_NE(text.find("rd T2 0x9100:16\n"), std::string::npos) << text;
}

TEST(RecordingParallel, WhereSynchronizationOrdersNothingIsAmbiguous) {
  ParallelBuilder b;
  b.on(0);
  b.record(WriteRange, 0, kX, 16);
  b.fork_two();
  b.on(1);
  b.record(ReadRange, 0, kX, 16);
  b.on(2);
  b.record(ReadRange, 0, kX, 16);
  EXPECT_EQ(merged(b), "wr T0 0x9000:16\nrd T1 0x9000:16\nrd T2 0x9000:16\n");
  Recorded recorded(b);
  recorded.text();
  EXPECT_EQ(recorded.property("ambiguous"), "0");
  EXPECT_EQ(recorded.property("mode"), "parallel");
}

TEST(RecordingParallel, WritesOfOneValueNeedNoMark) {
  ParallelBuilder b;
  b.fork_two();
  b.on(0);
  b.record(Write4, 0, kX, 1);
  b.on(1);
  b.record(Write4, 0, kX, 1);
  b.on(2);
  b.record(Read4, 0, kX, 1);
  const std::string text = merged(b);
  EXPECT_NE(text.find("rd T2 0x9000:4 1\n"), std::string::npos) << text;
}

TEST(RecordingParallel, AtomicsAreOrderedAmongPlainAccessesByValue) {
  ParallelBuilder b;
  b.fork_two();
  b.on(1);
  b.sync(AtomicRead, kX, recording::AtomicValue{MemoryOrder::seq_cst, 4}.packed(), {9});
  b.on(2);
  b.record(Write4, 0, kX, 9);
  EXPECT_EQ(merged(b), "wr T2 0x9000:4 9\nard T1 0x9000:4 sc 9\n");
}

TEST(RecordingParallel, AMissingNumberHoldsNobodyUp) {
  ParallelBuilder b;
  b.fork_two();
  b.on(1);
  b.record(Sequence, 0, 100);
  b.record(Acquire, 0, 0x8000);
  b.record(Sequence, 0, 102);
  b.record(Release, 0, 0x8000);
  EXPECT_EQ(merged(b), "acq T1 \"lock@T1:0\"\nrel T1 \"lock@T1:0\"\n");
}

// Runs a small random program in a random interleaving, and records what each thread saw.
struct RandomRun {
  struct Step {
    uint64_t thread;
    bool is_sync;
    uint64_t number;
    std::optional<uint32_t> writer;  // of a read: the site of the write it returned; none: initial
    bool reads = false;
    bool value_recorded = false;
    uint64_t value = 0;
  };
  ParallelBuilder builder;
  std::map<uint32_t, Step> steps;  // by site, which is unique

  explicit RandomRun(uint64_t seed) : random(seed) {
    const uint32_t threads = 2 + below(3), variables = 1 + below(4), steps_wanted = 5 + below(60);
    const uint32_t sync_percent = below(60), blind_percent = below(2) * below(40);
    struct Variable {
      uint64_t value = 0;
      std::optional<uint32_t> writer;
    };
    std::vector<Variable> memory(variables);
    std::vector<std::optional<uint32_t>> holder(2);
    // Half of the programs write all memory before their threads begin.
    if (is_plain = seed % 2 == 0 && blind_percent == 0; is_plain) {
      builder.on(0);
      for (uint32_t i = 0; i < variables; ++i) {
        const uint32_t site = next_site++;
        steps[site] = {.thread = 0, .is_sync = false};
        memory[i].writer = site;
        builder.record(Write8, site, kX + 8 * i, 0);
      }
      for (uint32_t i = 0; i < threads; ++i) {
        builder.on(i);
        const uint32_t site = next_site++;
        steps[site] = {.thread = i, .is_sync = true, .number = ++number};
        builder.record(Sequence, 0, number);
        builder.record(Fence, site, 0, 5);
      }
    }
    for (uint32_t i = 0; i < steps_wanted; ++i) {
      const uint32_t thread = below(threads);
      builder.on(thread);
      const uint32_t site = next_site++;
      Step& step = steps[site] = {.thread = thread, .is_sync = below(100) < sync_percent};
      const uint32_t which = below(variables);
      Variable& variable = memory[which];
      const uint64_t address = kX + 8 * which;
      const bool blind = below(100) < blind_percent;
      auto write = [&] {
        variable = {below(3), site};
        step.value = variable.value;
      };
      auto read = [&] {
        step.reads = true;
        step.value = variable.value;
        step.writer = variable.writer;
      };
      if (step.is_sync) builder.record(Sequence, 0, step.number = ++number);
      if (!step.is_sync) {
        const bool writes = below(2) == 0;
        writes ? write() : read();
        step.value_recorded = !blind;
        if (blind) {
          builder.record(writes ? WriteRange : ReadRange, site, address, 8);
        } else {
          builder.record(writes ? Write8 : Read8, site, address, step.value);
        }
        continue;
      }
      const uint32_t lock = below(2);
      switch (below(4)) {
        case 0:
          read();
          step.value_recorded = true;
          builder.record(AtomicRead, site, address,
                         recording::AtomicValue{MemoryOrder::seq_cst, 8}.packed(), {step.value});
          break;
        case 1:
          write();
          builder.record(AtomicWrite, site, address,
                         recording::AtomicValue{MemoryOrder::seq_cst, 8}.packed(), {step.value});
          break;
        default:
          if (!holder[lock]) {
            holder[lock] = thread;
            builder.record(Acquire, site, 0x8000 + 64 * lock);
          } else if (holder[lock] == thread) {
            holder[lock].reset();
            builder.record(Release, site, 0x8000 + 64 * lock);
          } else {
            builder.record(TryFail, site, 0x8000 + 64 * lock);
          }
      }
    }
    // Sites must have rows to be told apart.
    for (uint32_t site = 1; site < next_site; ++site) {
      builder.site(std::to_string(site), 0);
    }
  }

  bool is_plain = false;  // everything that is read has a recorded value

  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random() % n); }

  std::mt19937_64 random;
  uint32_t next_site = 1;
  uint64_t number = 0;
};

struct Seen {
  uint64_t runs = 0, reads = 0, ambiguous = 0;
};

// Checks all that a merged order promises.
void check(const RandomRun& run, Seen& seen) {
  Recorded recorded(run.builder);
  ASSERT_EQ(recorded.refusal(), "");
  std::vector<Event> events(1000);
  auto got = recorded.reader().read(events);
  ASSERT_TRUE(got.has_value());
  ASSERT_EQ(*got, run.steps.size());
  events.resize(*got);

  const TraceTables& tables = recorded.reader().tables();
  std::map<uint64_t, uint32_t> last_site;  // by thread
  uint64_t last_number = 0;
  std::map<uint64_t, uint32_t> last_write;  // by address
  for (const Event& e : events) {
    const auto site = static_cast<uint32_t>(std::stoul(tables.site_name(e.site)));
    const RandomRun::Step& step = run.steps.at(site);
    ASSERT_EQ(tables.threads[e.thread], "T" + std::to_string(step.thread));
    ASSERT_GT(site, last_site[step.thread]) << "program order";
    last_site[step.thread] = site;
    if (step.is_sync) {
      ASSERT_GT(step.number, last_number) << "synchronization order";
      last_number = step.number;
    }
    if (!is_access(e.kind)) continue;
    const uint64_t address = tables.locations[e.location()].offset;
    if (step.reads) {
      ++seen.reads;
      seen.ambiguous += e.is_ambiguous();
      auto write = last_write.find(address);
      if (!e.is_ambiguous() && step.value_recorded) {
        const uint64_t there = write == last_write.end() ? 0 : run.steps.at(write->second).value;
        ASSERT_EQ(step.value, there) << "site " << site;
      } else if (!e.is_ambiguous()) {
        // Without a value the writer itself must be the right one.
        ASSERT_EQ(write != last_write.end(), step.writer.has_value()) << "site " << site;
        if (step.writer) ASSERT_EQ(write->second, *step.writer) << "site " << site;
      }
      ASSERT_FALSE(e.is_ambiguous() && e.kind == EventKind::Read && e.has_value());
    } else {
      last_write[address] = site;
    }
  }
}

TEST(RecordingParallel, RandomRunsAreMergedIntoExecutions) {
  Seen plain, others;
  for (uint64_t seed = 1; seed <= 4000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomRun run(seed);
    check(run, run.is_plain ? plain : others);
    if (HasFatalFailure()) return;
  }
  // The rest holds of any order; this says that the merge finds good ones.
  EXPECT_GT(plain.reads, 10'000u);
  EXPECT_LT(plain.ambiguous * 7, plain.reads) << plain.ambiguous << " of " << plain.reads;
  EXPECT_LT(others.ambiguous * 2, others.reads) << others.ambiguous << " of " << others.reads;
}

}  // namespace
}  // namespace foretell::trace
