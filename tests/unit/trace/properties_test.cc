// SPDX-License-Identifier: Apache-2.0

#include "trace/properties.h"

#include "unit/trace/ftrace_testing.h"
#include "unit/trace/recording_testing.h"

namespace foretell::trace {
namespace {

using enum recording::Op;

TEST(Properties, KeepTheirOrderAndTheirLastValue) {
  Properties properties;
  properties.set("b", "1");
  properties.set("a", "2");
  properties.set("b", "3");
  EXPECT_EQ(properties.rows(), (std::vector<Properties::Row>{{"b", "3"}, {"a", "2"}}));
  EXPECT_EQ(properties.find("c"), std::nullopt);
}

// Every field another value than its default.
RunFacts all_facts(TraceTables& tables) {
  RunFacts facts;
  facts.recording = {.mode = recording::Mode::parallel,
                     .state = recording::State::deadlock,
                     .status = 1,
                     .seed = 2,
                     .start_time_ns = 3,
                     .dropped_bytes = 4,
                     .skipped_ignored = 5,
                     .repeated_reads = 6,
                     .watchdog_count = 7,
                     .uncontrolled = 8,
                     .schedule_steps = 9,
                     .divergence = recording::Divergence::missing,
                     .divergence_thread = 10,
                     .divergence_step = 11,
                     .without_values = true,
                     .forks = 12,
                     .cut_at_end = 15,
                     .error = "disk full"};
  facts.has_unrecorded_writes = true;
  facts.skipped = 13;
  facts.repeated = 14;
  facts.creations = {{3, 1}, {4, 2}};
  facts.titles = {{"T1", "worker"}, {"T10", "a b"}};
  using enum recording::Awaited;
  facts.unserved = {{"T1", EventIndex{5}, semaphore, "slots", "a.c:1"},
                    {"T2", EventIndex{6}, thread, "T3", ""},
                    {"T3", EventIndex{7}, futex, "a b+8:4", "b.c:2:3"},
                    {"T4", EventIndex{8}, once, "0x9000:4", ""}};
  facts.benign = {{{tables.strings.intern("hits"), 8, 8}, EventIndex{10}, EventIndex{20}},
                  {{StringId{}, 0x9010, 4}, EventIndex{0}},
                  {{tables.strings.intern("from 1 to 2"), 0, 1}, EventIndex{3}}};
  facts.ambiguous = 0;
  facts.other.set("text", "two words, = and \n");
  return facts;
}

TEST(RunFacts, AsPropertiesAndBackAreTheSame) {
  TraceTables tables;
  tables.facts = all_facts(tables);
  EXPECT_EQ(facts_from(to_properties(tables), tables), tables.facts);
  TraceTables none;
  EXPECT_TRUE(to_properties(none).rows().empty());
  EXPECT_EQ(facts_from({}, none), RunFacts{});
}

TEST(RunFacts, AreKeptInFtraceFiles) {
  Trace trace = tiddle("rd 1 x");
  trace.tables.facts = all_facts(trace.tables);
  EXPECT_EQ(from_ftrace(to_ftrace(trace)).trace.tables.facts, trace.tables.facts);
}

TEST(RunFacts, KeepPropertiesThatAreNotUnderstood) {
  TraceTables tables;
  Properties properties;
  for (const auto& [key, value] : std::vector<Properties::Row>{{"mode", "sideways"},
                                                               {"seed", "many"},
                                                               {"benign.1", "nonsense"},
                                                               {"benign.2", "unknown+8:8 from 1"},
                                                               {"waiting.T1", "7"},
                                                               {"waiting.T2", "7 tea pot"},
                                                               {"waiting-at.T1", "a.c:1"},
                                                               {"parents", "3<1,4"},
                                                               {"new", "1"}}) {
    properties.set(key, value);
  }
  const RunFacts facts = facts_from(properties, tables);
  EXPECT_EQ(facts.other, properties);
  EXPECT_TRUE(facts.benign.empty());
  EXPECT_TRUE(facts.unserved.empty());
}

TEST(RunFacts, OfAnFtraceFileMayChangeWhileItIsWritten) {
  Trace trace = tiddle("rd 1 x");
  const int fd = ::memfd_create("ftrace", 0);
  auto writer = FtraceWriter::create(::dup(fd), "<memory>");
  trace.tables.facts.recording = {.state = recording::State::running};
  ASSERT_TRUE((*writer)->write(trace.events, trace.tables).has_value());
  trace.tables.facts.recording->state = recording::State::finished;
  ASSERT_TRUE((*writer)->write({}, trace.tables).has_value());
  ASSERT_TRUE((*writer)->close().has_value());
  std::string bytes((*writer)->byte_count(), '\0');
  ASSERT_EQ(::pread(fd, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  ::close(fd);
  EXPECT_EQ(from_ftrace(bytes).trace.tables.facts, trace.tables.facts);
}

std::string properties_of(const RecordingBuilder& builder) {
  Recorded recorded(builder);
  recorded.text();
  std::string out;
  const Properties properties = to_properties(recorded.reader().tables());
  for (const auto& [key, value] : properties.rows()) {
    out += key + "=" + value + "\n";
  }
  return out;
}

TEST(RecordingProperties, SayHowTheRunWent) {
  RecordingBuilder b;
  b.skipped(10, 20);
  b.header.seed = 7;
  b.header.status = 3;
  b.header.start_time_ns = 1000;
  EXPECT_EQ(properties_of(b),
            "mode=controlled\nseed=7\nstate=finished\nstatus=3\nstart_time_ns=1000\n"
            "unrecorded_writes=possible\nskipped=10\nrepeated=20\n");
}

TEST(RecordingProperties, NameWhatWentWrong) {
  RecordingBuilder b;
  b.header.without_values = 1;
  b.header.uncontrolled = 1;
  b.header.watchdog_count = 2;
  b.header.dropped_bytes = 3;
  b.header.skipped_ignored = 4;
  b.header.repeated_reads = 8;
  b.header.forks = 5;
  b.header.cut_at_end = 9;
  b.header.schedule_steps = 6;
  b.header.divergence = 1;
  b.header.divergence_thread = 2;
  b.header.divergence_step = 6;
  std::strcpy(b.header.error, "disk full");
  EXPECT_TRUE(properties_of(b).ends_with(
      "values=none\nuncontrolled=1\nwatchdog=2\ndropped=3\nignored=4\nrepeated_reads=8\nforks="
      "5\ncut_at_end=9\nschedule_steps=6\n"
      "divergence=blocked\ndivergence_thread=T2\ndivergence_step=6\nerror=disk full\n"));
}

TEST(RecordingProperties, ListParentsNamesAndBenignRanges) {
  RecordingBuilder b;
  b.global(0x4000, 16, "hits");
  uint64_t name[2] = {};
  std::memcpy(name, "worker", 6);
  b.record(ThreadName, 0, 1, 0, {name[0], name[1]});
  b.record(Fork, 0, 1);
  b.record(BenignRace, 0, 0x4008, 8);
  b.on(1);
  b.record(Fork, 0, 2);
  b.record(Alloc, 0, 0x9000, 64);
  b.record(BenignRace, 0, 0x9010, 4);
  b.record(Free, 0, 0x9000);
  b.on(3);
  b.record(ThreadBegin, 0, 3, 2);
  EXPECT_TRUE(properties_of(b).ends_with(
      "parents=2<1,3<2\nthread-name.T1=worker\nbenign.1=hits+8:8 from 1\n"
      "benign.2=0x9010:4 from 3 to 3\n"));
}

TEST(RecordingProperties, TellThatAnObjectsAccessesHaveNoValues) {
  RecordingBuilder b;
  const uint32_t with = b.site("a.c", 1, "f", "x");
  const uint32_t without = b.unnamed_site();
  b.header.without_values = 1;
  b.record(Write4, with, 0x9000, 1);
  b.record(Write4, without, 0x9000, 1);
  EXPECT_EQ(Recorded(b).text(), "wr T0 0x9000:4 1 @a.c:1:1 in=f as=x\nwr T0 0x9000:4\n");
}

}  // namespace
}  // namespace foretell::trace
