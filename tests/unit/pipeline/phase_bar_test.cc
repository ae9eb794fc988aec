// SPDX-License-Identifier: Apache-2.0

#include "pipeline/phase_bar.h"

#include <gtest/gtest.h>

namespace foretell::pipeline {
namespace {

using namespace std::chrono_literals;

TEST(PhaseBar, NeverGoesBackwards) {
  PhaseBar bar;
  double last = 0;
  auto update = [&](std::string_view phase, double fraction) {
    bar.update(phase, fraction);
    EXPECT_GE(bar.done(), last) << phase << " " << fraction;
    EXPECT_LE(bar.done(), 1);
    last = bar.done();
  };
  for (const char* phase :
       {"read the recording", "find contended locations", "analyze", "analyze, pass 2",
        "analyze: last_writer", "analyze, pass 3", "judge: index the trace", "judge", "describe",
        "replay: finding 1 of 2", "replay: finding 2 of 2"}) {
    update(phase, -1);
    for (double fraction = 0; fraction <= 1; fraction += 0.25) update(phase, fraction);
  }
  EXPECT_GT(last, 0.9);
}

TEST(PhaseBar, GoesOnInEachPass) {
  PhaseBar bar;
  bar.update("analyze", 1);
  const double first = bar.done();
  bar.update("analyze, pass 2", 0);
  EXPECT_EQ(bar.done(), first);
  bar.update("analyze, pass 2", 1);
  EXPECT_GT(bar.done(), first);
}

TEST(PhaseBar, ShowsWhatIsRecordedAndForHowLong) {
  const PhaseBar::Clock::time_point start;
  PhaseBar bar(start);
  bar.update("record: 1 MB", -1, start);
  bar.update("record: 120 MB", -1, start + 12s);
  EXPECT_EQ(bar.text(start + 12s), "record: 120 MB, 12 s");
}

TEST(PhaseBar, ShowsWhatIsLeft) {
  const PhaseBar::Clock::time_point start;
  PhaseBar bar(start);
  bar.update("judge", 0, start + 10s);
  // 0.7 of the whole in 10 s.
  EXPECT_EQ(bar.text(start + 10s), "[==============      ]  70 %  judge, about 5 s left");
  EXPECT_EQ(bar.text(start + 700s), "[==============      ]  70 %  judge, about 5 min left");
}

TEST(PhaseBar, ShowsOtherWorkByItself) {
  const PhaseBar::Clock::time_point start;
  PhaseBar bar(start);
  bar.update("reads", 0.5, start);
  EXPECT_EQ(bar.text(start), "reads  50 %");
  EXPECT_EQ(bar.done(), 0);
}

}  // namespace
}  // namespace foretell::pipeline
