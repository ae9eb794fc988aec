// SPDX-License-Identifier: Apache-2.0

#include "trace/kept_trace.h"

#include <gtest/gtest.h>

#include "trace/stream.h"
#include "trace/tiddle/tiddle_reader.h"

namespace foretell::trace {
namespace {

constexpr const char* kText =
    "fork 0 1\n"
    "acq 0 m\n"
    "acq 0 m\n"
    "wr 0 x 7\n"
    "rel 0 m\n"
    "rel 0 m\n"
    "acq 1 m\n"
    "wait 1 c m\n"
    "notify 0 c\n"
    "wake 1 c m\n"
    "rmw 1 y ar 3 4\n"
    "rel 1 m\n"
    "join 0 1\n";

std::unique_ptr<TraceReader> tiddle_reader(std::string_view text) {
  return make_tiddle_reader(InputFile::from_memory(text));
}

std::shared_ptr<KeptTrace> keep(const Trace& trace, uint64_t most = kInMemoryEvents) {
  auto kept = std::make_shared<KeptTrace>("kept", most);
  // Parts need not be batches.
  const std::span<const Event> events = trace.events;
  kept->add(events.first(5));
  kept->add(events.subspan(5));
  return kept;
}

std::vector<Event> all_of(TraceStream& stream) {
  std::vector<Event> events;
  for (;;) {
    auto batch = stream.next();
    EXPECT_TRUE(batch) << batch.error().to_text();
    if (batch->empty()) return events;
    events.insert(events.end(), batch->begin(), batch->end());
  }
}

TEST(KeptTrace, ReadersGiveTheEventsThatWereAdded) {
  auto raw = read_all(*tiddle_reader(kText));
  ASSERT_TRUE(raw);
  auto kept = keep(*raw);
  kept->finish(std::move(raw->tables));
  ASSERT_TRUE(kept->is_whole());
  for (size_t batch : {1, 3, 100}) {
    auto reader = KeptTrace::reader(kept);
    std::vector<Event> again, part(batch);
    for (;;) {
      auto got = reader->read(part);
      ASSERT_TRUE(got);
      if (*got == 0) break;
      again.insert(again.end(), part.begin(), part.begin() + static_cast<ptrdiff_t>(*got));
    }
    EXPECT_EQ(again, raw->events);
    EXPECT_EQ(reader->tables().threads.size(), 2u);
    EXPECT_EQ(reader->progress(), 1);
  }
}

TEST(KeptTrace, AReaderStartsAgain) {
  auto raw = read_all(*tiddle_reader(kText));
  ASSERT_TRUE(raw);
  auto reader = KeptTrace::reader(keep(*raw));
  std::vector<Event> first(12), second(12);
  ASSERT_EQ(*reader->read(first), 12u);  // beyond those with an extra value
  reader->rewind();
  ASSERT_EQ(*reader->read(second), 12u);
  EXPECT_EQ(first, second);
}

TEST(KeptTrace, TooManyEventsAreNotKept) {
  auto raw = read_all(*tiddle_reader(kText));
  ASSERT_TRUE(raw);
  EXPECT_TRUE(keep(*raw, raw->events.size())->is_whole());
  EXPECT_FALSE(keep(*raw, raw->events.size() - 1)->is_whole());
}

TEST(KeptTrace, NormalizesAsTheFileDoes) {
  auto direct = TraceStream::open(tiddle_reader(kText));
  ASSERT_TRUE(direct);
  auto raw = read_all(*tiddle_reader(kText));
  ASSERT_TRUE(raw);
  auto kept = keep(*raw);
  kept->finish(std::move(raw->tables));
  auto stream = TraceStream::open(KeptTrace::reader(kept));
  ASSERT_TRUE(stream);
  EXPECT_EQ(all_of(*stream), all_of(*direct));
  EXPECT_EQ(stream->conversions().decoded, 0u);
}

// A stream that keeps has the same events and folded events in every pass, from one normalization.
TEST(TraceStream, KeepsWhatOnePassGave) {
  auto stream = TraceStream::open(tiddle_reader(kText));
  ASSERT_TRUE(stream);
  std::vector<Event> folded, again;
  stream->collect_folded(&folded);
  const std::vector<Event> events = all_of(*stream);
  stream->collect_folded(nullptr);
  ASSERT_EQ(folded.size(), 2u);
  ASSERT_EQ(stream->conversions().normalized, 1u);

  stream->keep(100);
  EXPECT_EQ(all_of(*stream), events);
  for (int pass = 0; pass < 3; ++pass) {
    stream->restart();
    again.clear();
    stream->collect_folded(&again);
    EXPECT_EQ(all_of(*stream), events);
    EXPECT_EQ(again, folded);
    EXPECT_EQ(stream->raw_events(), 13u);
    EXPECT_EQ(stream->progress(), 1);
  }
  EXPECT_EQ(stream->conversions().normalized, 2u);

  auto trace = stream->load();
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->events, events);
  EXPECT_EQ(trace->folded, folded);
  EXPECT_EQ(stream->conversions().normalized, 2u);
  stream->give_back(std::move(*trace));
  EXPECT_EQ(stream->tables().threads.size(), 2u);
}

TEST(TraceStream, APassCutShortIsNotKept) {
  std::string text;
  for (size_t i = 0; i < 3 * kBatchSize; ++i) text += "wr 0 x 1\n";
  auto stream = TraceStream::open(tiddle_reader(text));
  ASSERT_TRUE(stream);
  stream->keep(kInMemoryEvents);
  ASSERT_TRUE(stream->next());
  stream->restart();
  EXPECT_EQ(all_of(*stream).size(), 3 * kBatchSize);
  stream->restart();
  EXPECT_EQ(all_of(*stream).size(), 3 * kBatchSize);
  EXPECT_EQ(stream->conversions().normalized, 2u);
}

TEST(TraceStream, TooManyEventsAreNormalizedInEveryPass) {
  std::string text;
  for (size_t i = 0; i < 3 * kBatchSize; ++i) text += "wr 0 x 1\n";
  auto stream = TraceStream::open(tiddle_reader(text));
  ASSERT_TRUE(stream);
  stream->keep(kBatchSize);
  EXPECT_EQ(all_of(*stream).size(), 3 * kBatchSize);
  stream->restart();
  EXPECT_EQ(all_of(*stream).size(), 3 * kBatchSize);
  EXPECT_EQ(stream->conversions().normalized, 2u);
  auto trace = stream->load();
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->events.size(), 3 * kBatchSize);
}

}  // namespace
}  // namespace foretell::trace
