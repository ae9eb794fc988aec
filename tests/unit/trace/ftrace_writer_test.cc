// SPDX-License-Identifier: Apache-2.0

// What the writer does when writing fails, and how much memory writer and reader take.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "unit/trace/ftrace_testing.h"

namespace foretell::trace {
namespace {

TEST(FtraceWriter, AFullDiskIsAnIoError) {
  auto writer = FtraceWriter::create("/dev/full");
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().exit_code, ExitCode::io_error);
  EXPECT_EQ(writer.error().message, "cannot write /dev/full: No space left on device");
}

TEST(FtraceWriter, AMissingFolderIsAnIoError) {
  auto writer = FtraceWriter::create("/nonexistent/t.ftrace");
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().exit_code, ExitCode::io_error);
}

TEST(FtraceWriter, AClosedPipeIsAnIoErrorAndStaysOne) {
  auto* const before = std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  auto writer = FtraceWriter::create(ends[1], "<pipe>");
  ASSERT_TRUE(writer);
  ::close(ends[0]);
  const Trace trace = synthetic_trace({.events = ftrace::kChunkEvents + 1});
  auto written = (*writer)->write(trace.events, trace.tables);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().exit_code, ExitCode::io_error);
  EXPECT_EQ(written.error().message, "cannot write <pipe>: Broken pipe");
  EXPECT_FALSE((*writer)->write({}, trace.tables));
  EXPECT_FALSE((*writer)->close());
  std::signal(SIGPIPE, before);
}

// A file size limit is a full disk that lets some bytes through.
TEST(FtraceWriter, WhatFitsOnTheDiskStaysReadable) {
  const Trace trace = synthetic_trace({.events = 5 * ftrace::kChunkEvents});
  const std::string path = testing::TempDir() + "foretell_full.ftrace";
  auto* const signal_before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit_before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit_before), 0);
  const std::string whole = to_ftrace(trace);
  rlimit limit = limit_before;
  limit.rlim_cur = whole.size() / 2;
  auto writer = FtraceWriter::create(path);
  ASSERT_TRUE(writer);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  auto written = (*writer)->write(trace.events, trace.tables);
  ::setrlimit(RLIMIT_FSIZE, &limit_before);
  std::signal(SIGXFSZ, signal_before);

  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().exit_code, ExitCode::io_error);
  EXPECT_FALSE((*writer)->close());
  auto reader = make_ftrace_reader(*InputFile::open(path));
  ::unlink(path.c_str());
  ASSERT_TRUE(reader);
  EXPECT_EQ((*reader)->warnings().size(), 1u);
  const auto events = read_all(**reader)->events;
  EXPECT_GE(events.size(), ftrace::kChunkEvents);
  EXPECT_LT(events.size(), trace.events.size());
  EXPECT_TRUE(is_prefix(events, trace.events));
}

TEST(FtraceWriter, WithoutCloseTheWholeChunksAreReadable) {
  const Trace trace = synthetic_trace({.events = ftrace::kChunkEvents + 100});
  const int fd = ::memfd_create("ftrace", 0);
  {
    auto writer = FtraceWriter::create(::dup(fd), "<memory>");
    ASSERT_TRUE((*writer)->write(trace.events, trace.tables));
  }
  auto reader = make_ftrace_reader(*InputFile::open("/proc/self/fd/" + std::to_string(fd)));
  ::close(fd);
  EXPECT_EQ(read_all(**reader)->events.size(), ftrace::kChunkEvents);
}

TEST(FtraceWriter, ANameTooLongIsAnErrorNotABadFile) {
  Trace trace;
  trace.tables.threads.intern(std::string(ftrace::kLongestName + 1, 'x'));
  auto writer = FtraceWriter::create("/dev/null");
  EXPECT_FALSE((*writer)->write({}, trace.tables));
}

TEST(FtraceWriter, TheLongestNameIsKept) {
  Trace trace;
  const std::string name(ftrace::kLongestName, 'x');
  trace.tables.threads.intern(name);
  const ReadBack back = from_ftrace(to_ftrace(trace));
  EXPECT_EQ(back.error, "");
  EXPECT_TRUE(back.trace.tables.threads[ThreadId{0}] == name);
}

long peak_kib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// 3 M events are 120 MB in memory.
TEST(FtraceWriter, WritingAndReadingTakeBoundedMemory) {
  constexpr uint64_t kEvents = 3'000'000;
  const std::string path = testing::TempDir() + "foretell_long.ftrace";
  const long before = peak_kib();
  auto writer = FtraceWriter::create(path);
  ASSERT_TRUE(writer);
  ASSERT_TRUE(generate_synthetic({.events = kEvents, .locations = 1000},
                                 [&](std::span<const Event> raw, const TraceTables& tables) {
                                   return (*writer)->write(raw, tables);
                                 }));
  ASSERT_TRUE((*writer)->close());
  auto reader = make_ftrace_reader(*InputFile::open(path));
  ::unlink(path.c_str());
  std::vector<Event> batch(kBatchSize);
  uint64_t count = 0;
  while (const size_t got = (*reader)->read(batch).value()) count += got;
  EXPECT_EQ(count, kEvents);
  EXPECT_LT(peak_kib() - before, 48 << 10);
}

}  // namespace
}  // namespace foretell::trace
