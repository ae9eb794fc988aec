// SPDX-License-Identifier: Apache-2.0

// Sliced causality: the document's figures, and its theorems on random traces.
#include "analysis/race/sliced/sliced.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "analysis/race/sliced/consistent_runs.h"
#include "analysis/race/sliced/variable_groups.h"
#include "trace/tiddle/tiddle_reader.h"

namespace foretell::analysis::sliced {
namespace {

struct Sliced {
  explicit Sliced(std::string_view text) : trace(parsed(text)), statements(facts(), memory()) {}

  static trace::Trace parsed(std::string_view text) {
    auto raw = trace::parse_tiddle(text);
    EXPECT_TRUE(raw) << (raw ? "" : raw.error().to_text());
    auto normal = raw ? normalize(std::move(*raw)) : std::move(raw);
    EXPECT_TRUE(normal) << (normal ? "" : normal.error().to_text());
    return normal ? std::move(*normal) : trace::Trace{};
  }
  const std::vector<trace::StatementFacts>& facts() const { return trace.tables.facts.statements; }
  Statements::MemoryOf memory() {
    return [this](LocationId id) { return trace.cells[id].range; };
  }
  std::span<const trace::Event> events() const { return trace.events; }

  // Whether `e2` depends directly upon `e1`, by their places.
  bool controls(size_t e1, size_t e2) {
    const Dependences d(events(), statements);
    return std::ranges::count(d.control(d.node_of(e2)), d.node_of(e1)) > 0;
  }
  bool feeds(size_t e1, size_t e2) {
    const Dependences d(events(), statements);
    return std::ranges::count(d.data(d.node_of(e2)), d.node_of(e1)) > 0;
  }
  // Whether sliced causality of these events, without values, has e1 before e2.
  bool orders(std::set<size_t> relevant, size_t e1, size_t e2) {
    const Dependences d(events(), statements);
    const Filter filter{
        [&](const trace::Event& e) { return relevant.contains(to_index(e.index)); }};
    return offline_causality(events(), d, filter).is_before(events(), e1, e2);
  }

  trace::Trace trace;
  Statements statements;
};

// y = y + 1; lock; x = x + 1; unlock against lock; x = x + 1; unlock; y = y + 1
constexpr const char* kFigure1 =
    "statement @1 uses @1 statement @3 uses @3 statement @6 uses @6 statement @8 uses @8\n"
    "rd 1 y @1 wr 1 y @1 acq 1 l @2 rd 1 x @3 wr 1 x @3 rel 1 l @4\n"
    "acq 2 l @5 rd 2 x @6 wr 2 x @6 rel 2 l @7 rd 2 y @8 wr 2 y @8\n";

std::string one_per_line(std::string text) {
  for (size_t at = 0; (at = text.find(" statement", at)) != std::string::npos; ++at)
    text[at] = '\n';
  return text;
}

class Proposed final : public ProposalSink {
 public:
  void propose(finding::Proposal race) override {
    pairs.emplace(to_index(race.events[0].index), to_index(race.events[1].index));
  }
  std::set<std::pair<uint64_t, uint64_t>> pairs;
};

std::set<std::pair<uint64_t, uint64_t>> sliced_races(const std::string& text) {
  Sliced sliced(one_per_line(text));
  AnalysisOptions options;
  options.statements = &sliced.facts();
  options.memory_of = sliced.memory();
  Proposed proposed;
  analysis::Sliced analysis(options, proposed);
  for (const trace::Event& e : sliced.events()) analysis.on_event(e);
  analysis.finish();
  return proposed.pairs;
}

TEST(Sliced, FindsTheRaceOfFigure1) {
  const auto races = sliced_races(kFigure1);
  EXPECT_TRUE(races.contains({1, 11})) << "the two writes of y";
  EXPECT_FALSE(races.contains({4, 8})) << "x is protected";
}

TEST(Sliced, WithoutFactsEverythingDependsOnWhatWasReadBefore) {
  const std::string text = kFigure1;
  EXPECT_FALSE(sliced_races(text.substr(text.find("rd 1"))).contains({1, 11}));
}

// e1 writes what e2 reads; e3' is in the scope of e2's statement and e3 is not.
TEST(Sliced, Figure2DependsOnTheEventThatDecides) {
  Sliced sliced(
      "statement @E2 scope @E3i\nstatement @E3\nstatement @E3i\n"
      "wr 1 s 1 @E1 rd 2 s 1 @E2 wr 2 a @E3i wr 2 b @E3");
  EXPECT_TRUE(sliced.orders({0, 2}, 0, 2));
  EXPECT_FALSE(sliced.orders({0, 3}, 0, 3));
}

// (A) C1: if (i) S1: x = 1; else S2: y = 1;  S3: z = x
TEST(Sliced, Figure3ControlsWhatAChoiceDecides) {
  const std::string facts =
      "statement @C1 scope @S1 @S2 changes x y\nstatement @S1\nstatement @S2\n"
      "statement @S3 uses @S3\n";
  Sliced first(facts + "rd 1 i @C1 wr 1 x @S1 rd 1 x @S3 wr 1 z @S3");
  EXPECT_TRUE(first.controls(0, 1));
  EXPECT_FALSE(first.controls(0, 3));
  EXPECT_TRUE(first.feeds(1, 2)) << "what was written is read";
  EXPECT_TRUE(first.feeds(2, 3)) << "what was read is used";
  Sliced second(facts + "rd 1 i @C1 wr 1 y @S2 rd 1 x @S3 wr 1 z @S3");
  EXPECT_TRUE(second.feeds(0, 2)) << "on the other way x would have been written";
}

// (B) C1: while (i) S1: y = 1;  S2: z = 1
TEST(Sliced, Figure3DependsOnWhetherALoopEnds) {
  const std::string run = "rd 1 i @C1 wr 1 y @S1 rd 1 i @C1 wr 1 z @S2";
  Sliced ends("statement @C1 scope @S1\nstatement @S1\nstatement @S2\n" + run);
  EXPECT_FALSE(ends.controls(2, 3));
  Sliced may_not("statement @C1 scope @S1 @S2 @C1\nstatement @S1\nstatement @S2\n" + run);
  EXPECT_TRUE(may_not.controls(2, 3));
}

// The letter of definition 2 keeps the latest event only; `if (x + y)` depends on both.
TEST(Sliced, AConditionDependsOnAllThatItReads) {
  Sliced sliced("statement @C scope @S\nstatement @S\nrd 1 x @C rd 1 y @C wr 1 z @S");
  EXPECT_TRUE(sliced.controls(0, 2));
  EXPECT_TRUE(sliced.controls(1, 2));
}

// Thread 1 of figure 1: events inside of a section depend on its acquire and are atomic.
TEST(Sliced, Figure5IsAtomicWithRespectToItsLock) {
  Sliced sliced(one_per_line(kFigure1));
  EXPECT_TRUE(sliced.controls(2, 3));
  EXPECT_TRUE(sliced.controls(2, 4));
  EXPECT_FALSE(sliced.controls(2, 1));
  const auto sections = sections_of(sliced.events());
  EXPECT_EQ(section_in(sections[3], LockId{0}), section_in(sections[4], LockId{0}));
  EXPECT_NE(section_in(sections[4], LockId{0}), section_in(sections[7], LockId{0}));
  EXPECT_EQ(section_in(sections[1], LockId{0}), std::nullopt);
}

TEST(Sliced, Figure7HasTheseCutsLevelByLevel) {
  // e11 e12 in a section, then e13; e21, which reads e11, and e22 in a section of the same lock.
  Sliced sliced(
      "statement @1\nstatement @2\n"
      "acq 1 l @1 wr 1 a @1 wr 1 b @1 rel 1 l @1 wr 1 c @1\n"
      "acq 2 l @2 rd 2 a @2 wr 2 d @2 rel 2 l @2");
  const Filter filter{[](const trace::Event& e) { return is_access(e.kind); }, true};
  const Dependences dependences(sliced.events(), sliced.statements);
  const Causality causality = offline_causality(sliced.events(), dependences, filter);
  const ConsistentRuns runs(sliced.events(), causality, filter);
  std::string text;
  EXPECT_TRUE(runs.for_each_level(100, [&](const auto& from, size_t event, const auto& to) {
    text += fmt::format("{}{} -{}-> {}{}\n", from[0], from[1], event, to[0], to[1]);
  }));
  EXPECT_EQ(text,
            "00 -1-> 10\n"
            "10 -2-> 20\n"
            "20 -4-> 30\n20 -6-> 21\n"
            "21 -4-> 31\n21 -7-> 22\n30 -6-> 31\n"
            "22 -4-> 32\n31 -7-> 32\n");
}

// (ii): by the letter an event without locks could not happen during another thread's section.
TEST(Sliced, AnEventWithoutLocksMayHappenDuringASection) {
  Sliced sliced("statement @1\nacq 1 l @1 wr 1 a @1 wr 1 b @1 rel 1 l @1 wr 2 c @1");
  const Filter filter{[](const trace::Event& e) { return is_access(e.kind); }};
  const Dependences dependences(sliced.events(), sliced.statements);
  const Causality causality = offline_causality(sliced.events(), dependences, filter);
  const ConsistentRuns runs(sliced.events(), causality, filter);
  EXPECT_TRUE(runs.is_consistent({1, 1}));
}

// Uniting the closures of all variables would lose the race on y.
TEST(Sliced, VariablesHaveClosuresOfTheirOwn) {
  const std::string text =
      "statement @1\nstatement @2\nstatement @C scope @S\nstatement @S\nstatement @3\n"
      "wr 1 y 1 @1 wr 1 x 1 @2 rd 2 x 1 @C wr 2 z 1 @S wr 2 y 2 @3 wr 1 z 3 @2";
  EXPECT_TRUE(sliced_races(text).contains({0, 4}));
}

// --- Random traces. ---

std::string random_text(uint64_t seed) {
  std::mt19937_64 random(seed);
  auto below = [&](uint64_t n) { return random() % n; };
  std::string text;
  const uint64_t sites = 3 + below(5);
  for (uint64_t s = 0; s < sites; ++s) {
    if (below(6) == 0) continue;  // an unknown statement
    text += fmt::format("statement @s{}", s);
    if (below(2) == 0) text += fmt::format(" scope @s{} @s{}", below(sites), below(sites));
    if (below(2) == 0) text += fmt::format(" uses @s{} @s{}", below(sites), s);
    if (below(2) == 0) text += fmt::format(" changes v{}", below(3));
    text += '\n';
  }
  const uint64_t threads = 2 + below(2);
  std::vector<int> holds(threads, -1);
  for (uint64_t i = 8 + below(30); i > 0; --i) {
    const uint64_t t = below(threads), s = below(sites);
    switch (below(6)) {
      case 0: {
        const int lock = static_cast<int>(below(2));
        if (holds[t] >= 0) {
          text += fmt::format("rel {} l{} @s{}\n", t, std::exchange(holds[t], -1), s);
        } else if (std::ranges::count(holds, lock) == 0) {
          text += fmt::format("acq {} l{} @s{}\n", t, holds[t] = lock, s);
        }
        break;
      }
      case 1:
        text += fmt::format("branch {} 1 @s{}\n", t, s);
        break;
      case 2:
      case 3:
        text += fmt::format("wr {} v{} @s{}\n", t, below(3), s);
        break;
      default:
        text += fmt::format("rd {} v{} @s{}\n", t, below(3), s);
        break;
    }
  }
  return text;
}

constexpr uint64_t kRandomTraces = 300;

Filter filter_of(uint64_t seed) {
  const LocationId variable{static_cast<uint32_t>(seed % 3)};
  return {
      [variable](const trace::Event& e) { return is_access(e.kind) && e.location() == variable; },
      seed % 2 == 0};
}

// (< united with the dependences)+ on the closure, straight from definition 5.
std::vector<std::vector<bool>> naive_order(const Sliced& sliced, const Dependences& dependences,
                                           const Filter& filter) {
  const auto importance = closure_of(sliced.events(), dependences, filter);
  const size_t count = dependences.node_count();
  std::vector<std::vector<bool>> before(count, std::vector<bool>(count));
  for (uint32_t b = 0; b < count; ++b) {
    if (importance[b] == Importance::none) continue;
    auto add = [&](Node a) {
      before[place(a)][b] = true;
      for (uint32_t c = 0; c < count; ++c) {
        if (before[c][place(a)]) before[c][b] = true;
      }
    };
    for (Node a : dependences.control(Node{b})) add(a);
    if (importance[b] == Importance::needed) {
      for (Node a : dependences.data(Node{b})) add(a);
    }
    if (!dependences.is_event(Node{b})) continue;
    const ThreadId thread = sliced.events()[dependences.event_of(Node{b})].thread;
    for (uint32_t a = 0; a < b; ++a) {
      if (importance[a] == Importance::none || !dependences.is_event(Node{a})) continue;
      if (sliced.events()[dependences.event_of(Node{a})].thread == thread) add(Node{a});
    }
  }
  // What leads only to the value of an event does not lead to the event as it is seen.
  std::vector<std::vector<bool>> seen = before;
  for (uint32_t b = 0; b < count && !filter.with_values; ++b) {
    if (!dependences.is_event(Node{b})) continue;
    const trace::Event& e = sliced.events()[dependences.event_of(Node{b})];
    if (!filter.is_relevant(e)) continue;
    std::vector<uint32_t> direct;
    for (Node a : dependences.control(Node{b})) direct.push_back(static_cast<uint32_t>(place(a)));
    for (uint32_t a = 0; a < b; ++a) {
      const bool earlier = importance[a] != Importance::none && dependences.is_event(Node{a}) &&
                           sliced.events()[dependences.event_of(Node{a})].thread == e.thread;
      if (earlier) direct.push_back(a);
    }
    for (uint32_t a = 0; a < count; ++a) {
      seen[a][b] = std::ranges::any_of(direct, [&](uint32_t d) { return a == d || before[a][d]; });
    }
  }
  return seen;
}

// Theorem 2, in both directions.
TEST(SlicedOnRandomTraces, ClocksAreTheOrder) {
  size_t ordered = 0;
  for (uint64_t seed = 0; seed < kRandomTraces; ++seed) {
    Sliced sliced(random_text(seed));
    const Dependences dependences(sliced.events(), sliced.statements);
    const Filter filter = filter_of(seed);
    const auto before = naive_order(sliced, dependences, filter);
    const Causality causality = offline_causality(sliced.events(), dependences, filter);
    for (size_t a = 0; a < sliced.events().size(); ++a) {
      for (size_t b = 0; b < sliced.events().size(); ++b) {
        if (causality.importance[a] == Importance::none ||
            causality.importance[b] == Importance::none) {
          continue;
        }
        const bool expected = before[place(dependences.node_of(a))][place(dependences.node_of(b))];
        ASSERT_EQ(causality.is_before(sliced.events(), a, b), expected) << a << " " << b << "\n"
                                                                        << random_text(seed);
        ordered += expected;
      }
    }
  }
  EXPECT_GT(ordered, 0u);
}

TEST(SlicedOnRandomTraces, OnlineIsOffline) {
  uint64_t backtracked = 0;
  for (uint64_t seed = 0; seed < kRandomTraces; ++seed) {
    Sliced sliced(random_text(seed));
    const Dependences dependences(sliced.events(), sliced.statements);
    const Causality offline = offline_causality(sliced.events(), dependences, filter_of(seed));
    const Causality online = online_causality(sliced.events(), dependences, filter_of(seed));
    ASSERT_EQ(offline.importance, online.importance) << random_text(seed);
    for (size_t i = 0; i < offline.clock.size(); ++i) {
      ASSERT_TRUE(offline.clock[i] == online.clock[i] && offline.seen[i] == online.seen[i])
          << i << "\n"
          << random_text(seed);
    }
    backtracked += online.backtracked;
  }
  EXPECT_GT(backtracked, 0u);
}

TEST(SlicedOnRandomTraces, AllVariablesTogetherAreEachByItself) {
  for (uint64_t seed = 0; seed < kRandomTraces; ++seed) {
    Sliced sliced(random_text(seed));
    const Dependences dependences(sliced.events(), sliced.statements);
    std::vector<Variable> variables;
    for (uint32_t v = 0; v < sliced.trace.cells.size(); ++v) variables.push_back(Variable{v});
    VariableGroups groups(sliced.events(), dependences, variables, variables.size());
    struct Access {
      size_t event;
      clocks::Time before;
      clocks::VectorClock clock;
    };
    std::vector<Access> accesses;
    groups.for_each_access(
        [&](size_t event, clocks::Time before, const clocks::VectorClock& clock) {
          accesses.push_back({event, before, clock});
        });
    for (uint32_t v = 0; v < variables.size(); ++v) {
      auto of_variable = [&](const trace::Event& e) {
        return is_access(e.kind) && e.location() == LocationId{v};
      };
      const Causality alone = offline_causality(sliced.events(), dependences, {of_variable});
      for (const Access& a : accesses) {
        for (const Access& b : accesses) {
          const trace::Event &first = sliced.events()[a.event], &second = sliced.events()[b.event];
          if (!of_variable(first) || !of_variable(second) || first.thread == second.thread)
            continue;
          if (a.event > b.event) continue;
          ASSERT_EQ(b.clock[first.thread] > a.before,
                    alone.is_before(sliced.events(), a.event, b.event))
              << a.event << " " << b.event << "\n"
              << random_text(seed);
        }
      }
    }
  }
}

// Theorem 3: the numbers say which events an acquire controls together.
TEST(SlicedOnRandomTraces, SectionNumbersAreAtomicity) {
  for (uint64_t seed = 0; seed < kRandomTraces; ++seed) {
    Sliced sliced(random_text(seed));
    const std::span<const trace::Event> events = sliced.events();
    const auto sections = sections_of(events);
    const Dependences dependences(events, sliced.statements);
    for (uint32_t l = 0; l < sliced.trace.tables.locks.size(); ++l) {
      // By event: the acquire of l that controls it, or is it.
      std::vector<std::optional<size_t>> acquire(events.size());
      for (size_t i = 0; i < events.size(); ++i) {
        const bool begins = events[i].kind == trace::EventKind::Acquire;
        if (begins && events[i].lock() == LockId{l}) acquire[i] = i;
        for (Node node : dependences.control(dependences.node_of(i))) {
          if (!dependences.is_event(node)) continue;
          const trace::Event& e = events[dependences.event_of(node)];
          // The fact that a statement controls another one is not a section.
          const bool held = e.kind == trace::EventKind::Acquire && e.lock() == LockId{l} &&
                            section_in(sections[i], LockId{l}).has_value();
          if (held) acquire[i] = std::max(acquire[i].value_or(0), dependences.event_of(node));
        }
      }
      for (size_t a = 0; a < events.size(); ++a) {
        for (size_t b = 0; b < events.size(); ++b) {
          const auto mine = section_in(sections[a], LockId{l});
          const bool same = mine && mine == section_in(sections[b], LockId{l});
          ASSERT_EQ(same, acquire[a] && acquire[a] == acquire[b]) << a << " " << b;
        }
      }
    }
  }
}

}  // namespace
}  // namespace foretell::analysis::sliced
