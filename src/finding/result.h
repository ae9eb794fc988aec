// SPDX-License-Identifier: Apache-2.0

// The outcome of analyzing one trace, in names instead of ids: what reports are written from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "finding/details.h"
#include "schedule/schedule.h"
#include "trace/conversion_count.h"
#include "trace/read_demand.h"

namespace foretell::finding {

// A line of a suppressions file that hides a finding.
struct SuppressedBy {
  std::string rule;  // "race:deposit"
  std::string reason = {};

  bool operator==(const SuppressedBy&) const = default;
};

// How a finding stands to a baseline of earlier ones.
enum class BaselineState : uint8_t {
  none,        // there is no baseline
  fresh,       // not in it
  known,       // in it
  regression,  // in it, as fixed
};

std::string_view word_of(BaselineState state);
std::optional<BaselineState> baseline_state_named(std::string_view word);

// A process of a test run that a finding was found in.
struct SeenIn {
  std::string test;            // CTest's name, or the command line where there is none
  std::string test_case = {};  // GoogleTest's name; empty if it is not known
  std::string program = {};    // the file name of the binary
  std::string run = {};        // folder of the recorded process, below that of the test run

  std::string name() const { return test_case.empty() ? test : test + " (" + test_case + ")"; }
  bool operator==(const SeenIn&) const = default;
};

struct Finding {
  std::string id;               // "race-1"
  FindingDetails details = {};  // what only its kind has
  Verdict verdict = Verdict::possible;
  std::vector<std::string> analyses = {};
  std::vector<DescribedEvent> events = {};
  // How what it is about came to be: its threads created, its memory allocated.
  std::vector<DescribedEvent> origins = {};
  std::optional<Witness> witness = {};
  // What the reads of the witness have in common with the recorded run.
  trace::ReadDemand reads = trace::ReadDemand::same_writer;
  std::string reason = {};  // why it is no more than possible; empty if it is
  std::optional<schedule::Schedule> schedule = {};  // that shows it
  std::string schedule_file = {};                   // where it is kept; empty if nowhere
  std::string replay = {};       // why replaying did not confirm it, or what came of it
  std::string consequence = {};  // what became of the program when it was confirmed; or empty
  uint64_t occurrences = 1;      // how often the first analysis to find it proposed it
  std::string fingerprint = {};  // the same for the same error in another build (see report/)
  std::optional<SuppressedBy> suppressed = {};
  BaselineState baseline = BaselineState::none;
  std::vector<SeenIn> seen_in = {};  // `foretell test`: the process that shows it best comes first

  FindingKind kind() const { return static_cast<FindingKind>(details.index()); }
  // Null if it is of another kind. A memory error is a race, too.
  template <class Details>
  const Details* as() const {
    return details_as<const Details>(details);
  }
  template <class Details>
  Details* as() {
    return details_as<Details>(details);
  }
  std::string name() const { return name_of(details); }

  bool is_dismissed() const { return verdict == Verdict::dismissed; }
  // Whether anyone still has to look at it.
  bool is_open() const { return !suppressed && baseline != BaselineState::known; }

  bool operator==(const Finding&) const = default;

 private:
  template <class Details>
  static Details* details_as(auto& any) {
    return std::visit(
        [](auto& held) -> Details* {
          if constexpr (std::is_convertible_v<decltype(&held), Details*>) return &held;
          return nullptr;
        },
        any);
  }
};

// What a baseline has and this run has not.
struct AbsentFinding {
  std::string fingerprint;
  FindingKind kind = FindingKind::race;
  std::string text;

  bool operator==(const AbsentFinding&) const = default;
};

// A function that nothing showed to be violated, although other threads could have interfered.
struct InferredBlock {
  std::string function;
  uint64_t calls = 0;   // that touched what is shared, more than once
  uint64_t shared = 0;  // of the events in them: shared accesses, locks

  bool operator==(const InferredBlock&) const = default;
};

// A test that ran to its end.
struct RanTest {
  std::string test;  // as SeenIn has it
  std::vector<std::string> cases = {};

  bool operator==(const RanTest&) const = default;
};

struct TraceSummary {
  std::string name;
  uint64_t events = 0;
  uint64_t threads = 0;
  uint64_t locks = 0;
  uint64_t locations = 0;
  // Why finding nothing means nothing: "no memory access was recorded". Empty if it means something.
  std::string unchecked = {};
  // The program, or the trace: sources that are newer have changed since. May be empty.
  std::string file = {};
  std::vector<std::string> programs = {};  // `foretell test`: the binaries that were run
  std::vector<RanTest> tests = {};         // `foretell test`

  bool operator==(const TraceSummary&) const = default;
};

// What came of one property (--property).
struct CheckedProperty {
  enum class Answer : uint8_t { not_asked, satisfied, violated, unknown };
  std::string name = {};
  uint64_t slices = 0;  // bindings that the run had
  uint64_t steps = 0;   // that the property sees
  // In the recorded run, in all runs that keep the order of synchronization, in all correct
  // reorderings.
  Answer recorded{}, happens_before{}, reorderings{};
  uint64_t cuts = 0;    // that were generated
  uint64_t widest = 0;  // the most of a level
  double seconds = 0;

  bool operator==(const CheckedProperty&) const = default;
};

// By answer, for files and reports.
inline constexpr std::string_view kAnswerWords[] = {"-", "holds", "violated", "unknown"};
inline std::string_view word_of(CheckedProperty::Answer answer) {
  return kAnswerWords[static_cast<size_t>(answer)];
}

struct RuleCount {
  std::string rule;
  uint64_t times = 0;

  bool operator==(const RuleCount&) const = default;
};

struct AnalysisStats {
  std::string name;
  double seconds = 0;
  std::vector<RuleCount> rules;

  bool operator==(const AnalysisStats&) const = default;
};

struct PhaseTime {
  std::string name;
  double seconds = 0;

  bool operator==(const PhaseTime&) const = default;
};

struct AnalysisResult {
  TraceSummary trace;
  std::vector<Finding> findings;       // those with a witness first, then in trace order
  std::vector<Finding> trials;         // only the real program can tell (pipeline/trials.h)
  std::vector<Finding> dismissed;      // proposed by an analysis, refuted by the judge (see reason)
  std::vector<AbsentFinding> fixed;    // baseline: no longer found where it was
  std::vector<AbsentFinding> not_run;  // baseline: what had shown it did not run
  std::vector<Diagnostic> warnings;
  std::vector<CheckedProperty> properties;
  std::vector<InferredBlock> inferred;  // functions that could be declared atomic
  std::vector<Diagnostic> notes;        // what nobody must act on
  std::vector<AnalysisStats> stats;
  std::vector<PhaseTime> phases;
  trace::ConversionCount conversions;

  // Names them, each kind by itself: race-1, race-2, deadlock-1.
  void number_findings();

  void warn(std::string message, ExitCode exit_code = ExitCode::bad_input) {
    Diagnostic warning{std::move(message), ""};
    warning.exit_code = exit_code;
    warnings.push_back(std::move(warning));
  }

  size_t count(Verdict verdict) const {
    size_t n = 0;
    for (const Finding& f : findings) n += f.verdict == verdict;
    return n;
  }
};

}  // namespace foretell::finding
