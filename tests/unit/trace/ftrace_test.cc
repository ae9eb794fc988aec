// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "trace/ftrace/event_columns.h"
#include "unit/trace/ftrace_testing.h"

namespace foretell::trace {
namespace {

TEST(Ftrace, KeepsEveryKindOfEvent) {
  const Trace trace = tiddle(kEveryKind);
  const ReadBack back = from_ftrace(to_ftrace(trace));
  EXPECT_EQ(back.error, "");
  EXPECT_TRUE(back.warnings.empty());
  EXPECT_EQ(back.trace.events, trace.events);
  EXPECT_EQ(print_tiddle(back.trace), print_tiddle(trace));
}

TEST(Ftrace, TheTextOfEveryKindNamesThemAll) {
  std::vector<bool> seen(kEventKindCount);
  for (const Event& e : tiddle(kEveryKind).events) seen[to_index(e.kind)] = true;
  EXPECT_EQ(std::ranges::count(seen, false), 0);
}

TEST(Ftrace, KeepsEveryFieldOfEveryKindWhateverItSays) {
  Trace trace = tiddle(kEveryKind);
  const size_t kinds = trace.events.size();
  for (size_t i = 0; i < kinds; ++i) {
    Event e = trace.events[i];
    const bool extra_is_id =
        e.kind == EventKind::WaitBegin || e.kind == EventKind::WaitEnd || e.kind == EventKind::User;
    for (MemoryOrder order : {MemoryOrder::relaxed, MemoryOrder::seq_cst}) {
      for (uint16_t flags = 0; flags < 4; ++flags) {
        for (uint64_t number : {uint64_t{0}, uint64_t{1} << 40, ~uint64_t{0}}) {
          e.order = order;
          e.flags = flags;
          e.value = number;
          if (!extra_is_id) e.extra = ~number;
          e.index = EventIndex{trace.events.size()};
          trace.events.push_back(e);
        }
      }
    }
  }
  EXPECT_EQ(from_ftrace(to_ftrace(trace)).trace.events, trace.events);
}

TEST(Ftrace, AnEmptyTraceIsAFile) {
  const ReadBack back = from_ftrace(to_ftrace(Trace{}));
  EXPECT_EQ(back.error, "");
  EXPECT_TRUE(back.warnings.empty());
  EXPECT_TRUE(back.trace.events.empty());
}

TEST(Ftrace, NamesWithoutEventsAreKept) {
  Trace trace;
  trace.tables.locks.intern("unused");
  EXPECT_EQ(from_ftrace(to_ftrace(trace)).trace.tables.locks.size(), 1u);
}

TEST(Ftrace, KeepsManyChunks) {
  const Trace trace = synthetic_trace({.seed = 3,
                                       .events = 3 * ftrace::kChunkEvents + 77,
                                       .threads = 300,
                                       .racy_weight = 10,
                                       .atomics = 20,
                                       .barrier_every = 50'000,
                                       .values = true});
  const ReadBack back = from_ftrace(to_ftrace(trace));
  EXPECT_EQ(back.error, "");
  EXPECT_EQ(back.trace.events, trace.events);
}

TEST(Ftrace, TheFileDoesNotDependOnHowItIsHandedOver) {
  const Trace trace = synthetic_trace({.events = ftrace::kChunkEvents + 1000});
  EXPECT_EQ(to_ftrace(trace, 1), to_ftrace(trace, 1'000'000));
}

TEST(Ftrace, RowsMayComeWithTheEventsThatNeedThem) {
  const int fd = ::memfd_create("ftrace", 0);
  auto writer = FtraceWriter::create(::dup(fd), "<memory>");
  Trace trace;
  for (uint32_t i = 0; i < 100'000; ++i) {
    const std::string name = "x" + std::to_string(i);
    const Event e{.kind = EventKind::Write,
                  .thread = trace.tables.threads.intern("1"),
                  .object = static_cast<uint32_t>(trace.tables.intern_variable(name)),
                  .site = trace.tables.intern_site(name),
                  .index = EventIndex{i}};
    trace.events.push_back(e);
    ASSERT_TRUE((*writer)->write(std::span(&e, 1), trace.tables));
  }
  ASSERT_TRUE((*writer)->close());
  auto reader = make_ftrace_reader(*InputFile::open("/proc/self/fd/" + std::to_string(fd)));
  ::close(fd);
  auto back = read_all(**reader);
  EXPECT_EQ(back->events, trace.events);
  EXPECT_EQ(back->tables.site_name(SiteId{99'999}), "x99999");
}

TEST(Ftrace, MoreSitesThanAChunkHasRoomForBeginANewChunk) {
  Trace trace;
  trace.tables.threads.intern("1");
  trace.tables.intern_variable("x");
  for (uint32_t i = 0; i <= ftrace::kMaxTemplates; ++i) {
    trace.events.push_back({.kind = EventKind::Read,
                            .site = trace.tables.intern_site("s", i + 1),
                            .index = EventIndex{i}});
  }
  ASSERT_LE(trace.events.size(), ftrace::kChunkEvents);
  const ReadBack back = from_ftrace(to_ftrace(trace));
  EXPECT_EQ(back.error, "");
  EXPECT_EQ(back.trace.events, trace.events);
}

TEST(Ftrace, TheWidestEventsFitTheLimit) {
  Trace trace;
  trace.tables.intern_variable("x");
  for (uint32_t i = 0; i < 70'000; ++i) trace.tables.threads.intern(std::to_string(i));
  for (uint32_t i = 0; i < 1000; ++i) {
    trace.events.push_back({.kind = EventKind::Branch,
                            .flags = 3,
                            .thread = ThreadId{69'999 - i},
                            .object = 0x80000000 + i * 0x12345,
                            .site = trace.tables.intern_site("s", i + 1),
                            .value = 0x8000000000000000u + i * 0x123456789,
                            .extra = 0x4000000000000000u - i * 0x123456789,
                            .index = EventIndex{i}});
  }
  const ReadBack back = from_ftrace(to_ftrace(trace));
  EXPECT_EQ(back.error, "");
  EXPECT_TRUE(back.warnings.empty());
  EXPECT_EQ(back.trace.events, trace.events);
}

TEST(Ftrace, AllLocationsAreKnownAfterOpening) {
  const Trace trace = synthetic_trace({.events = 2 * ftrace::kChunkEvents});
  const std::string bytes = to_ftrace(trace);
  auto reader = make_ftrace_reader(InputFile::from_memory(bytes));
  EXPECT_TRUE((*reader)->locations_known());
  EXPECT_EQ((*reader)->tables().locations.size(), trace.tables.locations.size());
}

TEST(Ftrace, RewindStartsAgain) {
  const Trace trace = synthetic_trace({.events = ftrace::kChunkEvents + 5000});
  const std::string bytes = to_ftrace(trace);
  auto reader = make_ftrace_reader(InputFile::from_memory(bytes));
  std::vector<Event> part(ftrace::kChunkEvents + 100);
  ASSERT_EQ((*reader)->read(part), part.size());
  EXPECT_GT((*reader)->progress(), 0.9);
  (*reader)->rewind();
  EXPECT_EQ((*reader)->progress(), 0);
  EXPECT_EQ(read_all(**reader)->events, trace.events);
}

TEST(Ftrace, PositionNamesFileAndEvent) {
  const std::string bytes = to_ftrace(tiddle("rd 1 x"));
  auto reader = make_ftrace_reader(InputFile::from_memory(bytes, "a.ftrace"));
  EXPECT_EQ((*reader)->position(EventIndex{7}), "a.ftrace: event 7");
}

TEST(Ftrace, OrdinaryTracesTakeLessThanTwoBytesPerEvent) {
  const SyntheticOptions ordinary{.events = 500'000, .locations = 20'000};
  EXPECT_LT(to_ftrace(synthetic_trace(ordinary)).size(), 2 * ordinary.events);
}

TEST(Ftrace, KeepsTheMarkOfAmbiguousReads) {
  Trace trace = tiddle("wr 1 x 1\nrd 2 x\nrd 2 x 1\nrmw 2 x sc 1 2\nrd 2 y");
  trace.events[1].flags |= Event::kAmbiguous;
  trace.events[3].flags |= Event::kAmbiguous;
  EXPECT_EQ(from_ftrace(to_ftrace(trace)).trace.events, trace.events);
}

ReadBack kept_file(std::string_view name) {
  const auto path = std::filesystem::path(FORETELL_TESTS) / "regress" / name;
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  std::stringstream bytes;
  bytes << file.rdbuf();
  return from_ftrace(bytes.str());
}

// Files that were written by earlier versions must stay readable by every later Foretell.
TEST(Ftrace, ReadsTheKeptFileOfVersion1) {
  const ReadBack back = kept_file("v1.ftrace");
  EXPECT_EQ(back.error, "");
  EXPECT_TRUE(back.warnings.empty());
  EXPECT_EQ(print_tiddle(back.trace), print_tiddle(tiddle(kKindsOfVersion1)));
}

// Converted from a parallel recording with every kind of record.
TEST(Ftrace, ReadsTheKeptFileOfVersion2) {
  const ReadBack back = kept_file("v2.ftrace");
  EXPECT_EQ(back.error, "");
  EXPECT_EQ(back.trace.events.size(), 45u);
  EXPECT_EQ(std::ranges::count_if(back.trace.events, &Event::is_ambiguous), 2);
  EXPECT_EQ(back.trace.tables.facts.recording.value().mode, recording::Mode::parallel);
  EXPECT_EQ(back.trace.tables.facts.ambiguous, 2);
  const std::vector<BenignRange>& benign = back.trace.tables.facts.benign;
  ASSERT_FALSE(benign.empty());
  EXPECT_EQ(back.trace.tables.location_name(benign[0].memory), "g+8:8");
  EXPECT_EQ(benign[0].first, EventIndex{0});
  EXPECT_EQ(benign[0].end, kNoEvent);
}

}  // namespace
}  // namespace foretell::trace
