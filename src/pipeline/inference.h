// AtomicInference: functions that could be declared atomic.
//
// A function is proposed if some call of it touched what threads share more than once (shared
// locations, one of whose accesses writes, and locks), so that others could have interfered, and if
// none of the analyses that ran found a way to violate it. Thread functions are not proposed: they
// are not meant to be atomic. Two passes: the first finds out what is shared.
//
// This is a suggestion from one run, not a proof: another run may violate the function.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <span>
#include <vector>

#include "base/dense_table.h"
#include "finding/result.h"
#include "trace/tables.h"

namespace foretell {

class AtomicInference {
 public:
  void on_events(std::span<const Event> batch);
  // After a pass.
  void finish(const TraceTables& tables);
  bool wants_another_pass() const { return pass_ < 2; }

  // The candidates that no finding blames, those with the most calls first.
  std::vector<InferredBlock> without_violated(const std::vector<Finding>& findings) const;

 private:
  enum class Sharing : uint8_t { untouched, one_thread, read_by_many, shared };
  struct Location {
    Sharing sharing = Sharing::untouched;
    bool is_written = false;
    ThreadId owner{};
  };
  struct Call {
    FunctionId function{};
    uint64_t shared = 0;  // events in it and in what it calls
  };
  struct Tally {
    uint64_t calls = 0, shared = 0;
  };

  void note_sharing(const Event& e);
  void count(const Event& e);

  int pass_ = 0;
  DenseTable<Location, LocationId> locations_;
  DenseTable<std::vector<Call>, ThreadId> calls_;
  absl::flat_hash_map<FunctionId, Tally> tallies_;
  std::vector<InferredBlock> candidates_;
};

}  // namespace foretell
