// The outcome of analysing one trace, in names instead of ids: what reports are written from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "finding/finding.h"
#include "schedule/schedule.h"
#include "trace/conversion_count.h"

namespace foretell {

struct HeldLock {
  std::string name;
  bool shared = false;
  std::string site = {};  // where it was acquired; may be empty
};

// An event as a person reads it.
struct DescribedEvent {
  EventIndex index = kNoEvent;
  std::string thread;
  std::string thread_name = {};  // what the program calls it; may be empty
  std::string operation;         // Tiddle's word: "wr"
  std::string object;            // the location, lock, thread, ... it is about; may be empty
  std::string site;              // "race.cpp:8:15"; may be empty
  std::string function = {};     // the site lies in; may be empty
  std::string expression = {};   // what is accessed, as the source writes it; may be empty
  std::vector<HeldLock> locks;
  std::optional<uint64_t> value;
};

// A checked interleaving: all events before `prefix_end` as recorded, then `steps`, of which the
// last two are the racing accesses.
struct Witness {
  uint64_t prefix_end = 0;
  std::vector<EventIndex> steps;
  std::vector<DescribedEvent> last_steps;  // the end of it, for people
};

// One thing that ordered two threads: a release and the acquire after it, a fork and its thread,
// ...
struct OrderEdge {
  DescribedEvent from, to;
  std::string lock = {};  // given up by `from`, taken by `to`; empty if it is about none
  // The witness has `to`, but not `from` before it: the order was chance.
  bool is_broken = false;
};

// How the recorded run had the two accesses of a race, as far as it is known.
struct RecordedOrder {
  enum class Kind : uint8_t {
    unknown,
    unordered,  // nothing synchronized one with the other
    ordered,    // by the edges of `path`
  };
  Kind kind = Kind::unknown;
  std::vector<OrderEdge> path = {};
  uint64_t steps_between = 0;

  // The edge that hid the race, if it is known.
  const OrderEdge* hiding_edge() const {
    for (const OrderEdge& edge : path) {
      if (edge.is_broken) return &edge;
    }
    return nullptr;
  }
};

// A line of a suppressions file that hides a finding.
struct SuppressedBy {
  std::string rule;  // "race:deposit"
  std::string reason = {};
};

// How a finding stands to a baseline of earlier ones.
enum class BaselineState : uint8_t {
  none,        // there is no baseline
  fresh,       // not in it
  known,       // in it
  regression,  // in it, as fixed
};

// A process of a test run that a finding was found in.
struct SeenIn {
  std::string test;            // CTest's name, or the command line where there is none
  std::string test_case = {};  // GoogleTest's name; empty if it is not known
  std::string program = {};    // the file name of the binary
  std::string run = {};        // folder of the recorded process, below that of the test run

  std::string name() const { return test_case.empty() ? test : test + " (" + test_case + ")"; }
};

struct Finding {
  std::string id;  // "race-1"
  FindingKind kind = FindingKind::race;
  Verdict verdict = Verdict::possible;
  bool is_dismissed = false;  // the judge has proved that it cannot happen
  std::vector<std::string_view> analyses;
  std::string location;
  std::vector<DescribedEvent> events;
  std::optional<Witness> witness;
  std::string reason;                    // why it is no more than possible; empty if it is
  RecordedOrder recorded;                // races
  std::vector<std::string> blocks = {};  // atomicity: that are violated, outermost first
  std::string pattern = {};              // atomicity: "AFTER-ERROR", "R-W-W"
  bool is_cycle = false;  // deadlocks: each event waits for what the next one's thread holds
  std::optional<Schedule> schedule;  // that shows it
  std::string schedule_file;         // where it is kept; empty if nowhere
  std::string replay;                // why replaying did not confirm it, or what came of it
  std::string consequence;   // what became of the program when it was confirmed; empty: nothing
  uint64_t occurrences = 1;  // how often the first analysis to find it proposed it
  std::string fingerprint;   // the same for the same error in another build; report/fingerprint.h
  std::optional<SuppressedBy> suppressed;
  BaselineState baseline = BaselineState::none;
  std::vector<SeenIn> seen_in;  // `foretell test`: the process that shows it best comes first

  // Whether anyone still has to look at it.
  bool is_open() const { return !suppressed && baseline != BaselineState::known; }
};

// What a baseline has and this run has not.
struct AbsentFinding {
  std::string fingerprint;
  FindingKind kind = FindingKind::race;
  std::string text;
};

// A function that nothing showed to be violated, although other threads could have interfered.
struct InferredBlock {
  std::string function;
  uint64_t calls = 0;   // that touched what is shared, more than once
  uint64_t shared = 0;  // of the events in them: shared accesses, locks
};

// A test that ran to its end.
struct RanTest {
  std::string test;  // as SeenIn has it
  std::vector<std::string> cases = {};
};

struct TraceSummary {
  std::string name;
  uint64_t events = 0;
  uint64_t threads = 0;
  uint64_t locks = 0;
  uint64_t locations = 0;
  // The program, or the trace: sources that are newer have changed since. May be empty.
  std::string file = {};
  std::vector<std::string> programs = {};  // `foretell test`: the binaries that were run
  std::vector<RanTest> tests = {};         // `foretell test`
};

struct RuleCount {
  std::string rule;
  uint64_t times = 0;
};

struct AnalysisStats {
  std::string_view name;
  double seconds = 0;
  std::vector<RuleCount> rules;
};

struct PhaseTime {
  std::string_view name;
  double seconds = 0;
};

struct AnalysisResult {
  TraceSummary trace;
  std::vector<Finding> findings;       // those with a witness first, then in trace order
  std::vector<Finding> dismissed;      // proposed by an analysis, refuted by the judge (see reason)
  std::vector<AbsentFinding> fixed;    // baseline: no longer found where it was
  std::vector<AbsentFinding> not_run;  // baseline: what had shown it did not run
  std::vector<Diagnostic> warnings;
  std::vector<InferredBlock> inferred;  // functions that could be declared atomic
  std::vector<Diagnostic> notes;        // what nobody must act on
  std::vector<AnalysisStats> stats;
  std::vector<PhaseTime> phases;
  ConversionCount conversions;

  // Names them, each kind by itself: race-1, race-2, deadlock-1.
  void number_findings();

  size_t count(Verdict verdict) const {
    size_t n = 0;
    for (const Finding& f : findings) n += f.verdict == verdict;
    return n;
  }
};

}  // namespace foretell
