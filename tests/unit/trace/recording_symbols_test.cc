// SPDX-License-Identifier: Apache-2.0

// Recordings of objects built with -fsanitize=thread: sites are places in binaries.
#include <unistd.h>

#include "trace/recording/pc_sites.h"
#include "trace/recording/symbolizer.h"
#include "unit/trace/recording_testing.h"

namespace foretell::trace {
namespace {

using enum recording::Op;
using recording::CodePlace;
using recording::without_parameters;

TEST(Symbolizer, FunctionsLoseTheirParameters) {
  EXPECT_EQ(without_parameters("main"), "main");
  EXPECT_EQ(without_parameters("Queue::push(int) const"), "Queue::push");
  EXPECT_EQ(without_parameters("(anonymous namespace)::f(void (*)(int))"),
            "(anonymous namespace)::f");
  EXPECT_EQ(without_parameters("A::operator()(int)"), "A::operator()");
}

TEST(Symbolizer, AMissingToolIsNothing) {
  const CodePlace place{"/bin/true", 0x10};
  EXPECT_FALSE(recording::symbolize({&place, 1}, "no-such-symbolizer").has_value());
}

// A place in this very program: its file offset, from where the program is mapped.
CodePlace place_of(const void* code) {
  std::FILE* maps = std::fopen("/proc/self/maps", "r");
  char line[4096];
  CodePlace place;
  while (std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long begin = 0, end = 0, offset = 0;
    std::sscanf(line, "%lx-%lx %*s %lx", &begin, &end, &offset);
    const auto address = reinterpret_cast<unsigned long>(code);
    if (address >= begin && address < end) place.offset = address - begin + offset;
  }
  std::fclose(maps);
  char path[4096] = {};
  EXPECT_GT(::readlink("/proc/self/exe", path, sizeof path - 1), 0);
  place.path = path;
  return place;
}

[[gnu::noinline]] int some_function(int argument) {
  return argument + 1;
}

CodePlace some_place() {
  return place_of(reinterpret_cast<const void*>(&some_function));
}

TEST(Symbolizer, KnowsFilesLinesAndFunctionsOfABinary) {
  const CodePlace places[] = {some_place(), {"/no/such/binary", 1}, some_place()};
  const auto answers = recording::symbolize(places);
  if (!answers) GTEST_SKIP() << recording::kSymbolizer << " is not installed";
  ASSERT_EQ(answers->size(), 3u);
  EXPECT_TRUE((*answers)[0].file.ends_with("recording_symbols_test.cc")) << (*answers)[0].file;
  EXPECT_GT((*answers)[0].line, 0u);
  EXPECT_NE((*answers)[0].function.find("some_function"), std::string::npos);
  EXPECT_EQ((*answers)[1].file, "");
  EXPECT_EQ((*answers)[2].file, (*answers)[0].file);
}

RecordingBuilder with_pc_site(const CodePlace& place) {
  RecordingBuilder b;
  b.header.without_values = 1;
  b.begin_binary(place.path);
  const uint32_t site = b.unnamed_site();
  b.record(PcSite, 0, 0x1234, site, {place.offset << 16 | 0});
  b.record(Write4, site, 0x9000, 0);
  return b;
}

TEST(RecordingSymbols, APlaceNobodyKnowsIsModuleAndOffset) {
  Recorded recorded(with_pc_site({"/no/such/libqueue.so", 0x12}));
  EXPECT_EQ(recorded.text(), "wr T0 0x9000:4 @\"libqueue.so+0x12\"\n");
}

TEST(RecordingSymbols, APlaceWithDebugInformationHasItsLine) {
  const CodePlace place = some_place();
  const auto known = recording::symbolize({&place, 1});
  if (!known) GTEST_SKIP() << recording::kSymbolizer << " is not installed";
  Recorded recorded(with_pc_site(place));
  EXPECT_NE(recorded.text().find(fmt::format("recording_symbols_test.cc:{}", (*known)[0].line)),
            std::string::npos)
      << recorded.text();
}

TEST(RecordingSymbols, WithoutTheToolTheUserIsToldWhatToInstall) {
  const std::string bytes = with_pc_site({"/bin/queue", 0x12}).bytes();
  const auto streams = recording::ChunkStreams::find(bytes);
  const auto modules = recording::Modules::load(*streams);
  TraceTables tables;
  recording::SiteTable sites(tables, *modules, true);
  std::vector<Diagnostic> warnings;
  ASSERT_TRUE(recording::load_pc_sites(*streams, *modules, sites, warnings, "no-such-tool"));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].to_text("warning"),
            "warning: no-such-tool cannot be run, so sites of objects built with "
            "-fsanitize=thread are shown as module+offset\nnote: install the package llvm-19\n");
  EXPECT_EQ(tables.site_name(sites[1].id), "queue+0x12");
}

}  // namespace
}  // namespace foretell::trace
