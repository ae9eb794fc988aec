// SPDX-License-Identifier: Apache-2.0

// Figure 15.2 of PREDICT, row by row: the state of Embracer on the trace of figure 14.1.
//
// The document's B only grows. Ours is emptied in a closed state, which is where the last line of
// the figure says what has become of its pair.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/race/must_before/embracer.h"
#include "unit/analysis/race_fixture.h"

namespace foretell::analysis {
namespace {

constexpr ThreadId kThread0{0}, kThread1{1};

std::string text_of(const clocks::VectorClock& k) {
  return fmt::format("<{},{}>", k[kThread0], k[kThread1]);
}
// The acquires and first accesses of this trace have one component only.
std::string text_of(clocks::Epoch e) {
  return text_of(clocks::VectorClock(e));
}
template <class A, class B>
std::string text_of(const std::vector<std::pair<A, B>>& pairs) {
  std::vector<std::string> texts;
  for (const auto& [a, b] : pairs) texts.push_back("(" + text_of(a) + "," + text_of(b) + ")");
  return fmt::format("{}", fmt::join(texts, " "));
}

struct Row {
  std::string c0, c1, wx, wy, rx, ry, e, h, a, b;
  bool operator==(const Row&) const = default;
};
void PrintTo(const Row& row, std::ostream* out) {
  *out << fmt::format("C0 {} C1 {} W x:{} y:{} R x:{} y:{} E {} H {} A {} B {}", row.c0, row.c1,
                      row.wx, row.wy, row.rx, row.ry, row.e, row.h, row.a, row.b);
}

class Figure15_2 : public testing::Test {
 protected:
  Row row() {
    const Embracer::View view = embracer_.view(LockId{0});
    const LocationId x{0}, y{1};
    return {text_of(embracer_.clock(kThread0)),
            text_of(embracer_.clock(kThread1)),
            text_of(embracer_.write_clock(x)),
            text_of(embracer_.write_clock(y)),
            text_of(embracer_.read_clock(x)),
            text_of(embracer_.read_clock(y)),
            text_of(view.edges),
            text_of(view.history),
            view.open ? text_of(*view.open) : "-",
            text_of(view.bad)};
  }
  uint64_t counter(const std::string& name) {
    Outcome counters;
    embracer_.report_counters(counters);
    return counters.counters.at(name);
  }

  const trace::Trace trace_ =
      trace_of("rd 0 x acq 0 m wr 0 y rel 0 m acq 1 m rd 1 y rel 1 m wr 1 x");
  Outcome proposals_;
  Embracer embracer_{proposals_};
};

TEST_F(Figure15_2, RowByRow) {
  const LockId m{0};
  const auto exclusive = LockMode::exclusive;
  const std::string zero = "<0,0>", first = "(<2,0>,<4,0>)", both = first + " (<0,1>,<4,3>)";
  EXPECT_EQ(row(), (Row{"<1,0>", "<0,1>", zero, zero, zero, zero, "", "", "-", ""}));
  embracer_.read(trace_.events[0]);
  EXPECT_EQ(row(), (Row{"<2,0>", "<0,1>", zero, zero, "<2,0>", zero, "", "", "-", ""}));
  embracer_.acquire(kThread0, m, exclusive);
  EXPECT_EQ(row(), (Row{"<3,0>", "<0,1>", zero, zero, "<2,0>", zero, "", "", "<2,0>", ""}));
  embracer_.write(trace_.events[2]);
  EXPECT_EQ(row(), (Row{"<4,0>", "<0,1>", zero, "<4,0>", "<2,0>", zero, "", "", "<2,0>", ""}));
  embracer_.release(kThread0, m, exclusive);
  EXPECT_EQ(row(), (Row{"<4,0>", "<0,1>", zero, "<4,0>", "<2,0>", zero, "", first, "-", ""}));
  embracer_.acquire(kThread1, m, exclusive);
  EXPECT_EQ(row(), (Row{"<4,0>", "<0,2>", zero, "<4,0>", "<2,0>", zero, "", first, "<0,1>", ""}));
  embracer_.read(trace_.events[5]);
  EXPECT_EQ(row(), (Row{"<4,0>", "<4,3>", zero, "<4,0>", "<2,0>", "<4,3>", "", first, "<0,1>",
                        "(<4,0>,<0,2>)"}));
  EXPECT_EQ(counter("bad pair ordered"), 0u);
  embracer_.release(kThread1, m, exclusive);
  EXPECT_EQ(row(), (Row{"<4,0>", "<4,3>", zero, "<4,0>", "<2,0>", "<4,3>", "(<4,0>,<0,1>)", both,
                        "-", ""}));
  // "in closed trace: <4,0> ⊑E <0,2> implies no race"
  EXPECT_EQ(counter("closed state"), 2u);
  EXPECT_EQ(counter("bad pair ordered"), 1u);
  embracer_.write(trace_.events[7]);
  EXPECT_EQ(row(), (Row{"<4,0>", "<4,4>", "<4,4>", "<4,0>", "<2,0>", "<4,3>", "(<4,0>,<0,1>)", both,
                        "-", ""}));
  EXPECT_EQ(proposals_.pairs(), Pairs());
}

}  // namespace
}  // namespace foretell::analysis
