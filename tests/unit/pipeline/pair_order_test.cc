// SPDX-License-Identifier: Apache-2.0

#include "pipeline/pair_order.h"

#include <gtest/gtest.h>

#include "base/input_file.h"
#include "trace/tiddle/tiddle_reader.h"

namespace foretell::pipeline {
namespace {

// Whether fasttrack holds the two events of the trace to be a race.
bool is_race(std::string_view text, uint64_t first, uint64_t second) {
  auto stream = trace::TraceStream::open(trace::make_tiddle_reader(InputFile::from_memory(text)));
  EXPECT_TRUE(stream.has_value());
  auto analyses = analysis::select_analyses("fasttrack");
  auto opinions = opinions_on(*stream, EventIndex{first}, EventIndex{second}, *analyses);
  EXPECT_TRUE(opinions.has_value());
  EXPECT_EQ(opinions->size(), 1u);
  return opinions->front().is_race;
}

TEST(PairOrder, IsAboutThePairThatWasAskedFor) {
  // fasttrack itself would only report 1-4: the later write hides the read before it.
  constexpr std::string_view kTrace = "rd a x\nwr a x\nacq a m\nrel a m\nwr b x\nacq b m\nwr b x\n";
  EXPECT_TRUE(is_race(kTrace, 0, 4));
  EXPECT_TRUE(is_race(kTrace, 1, 4));
  EXPECT_FALSE(is_race(kTrace, 0, 6));
}

TEST(PairOrder, AsksAboutAtomicsAndFrees) {
  EXPECT_TRUE(is_race("wr a x\nawr b x\n", 0, 1));
  EXPECT_FALSE(is_race("wr a x\nawr a f\nard b f\nard b x\n", 0, 3));
  EXPECT_TRUE(is_race("alloc a p 8\nfork a b\nwr b p:8\nfree a p\n", 2, 3));
}

TEST(PairOrder, AnAccessThatAcquiresIsAskedAboutBeforeItDoes) {
  EXPECT_TRUE(is_race("wr a x\nard b x\n", 0, 1));
}

}  // namespace
}  // namespace foretell::pipeline
