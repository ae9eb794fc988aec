// SPDX-License-Identifier: Apache-2.0

// RunFacts: what is known of a run besides its events.
//
// The reader of a recording fills them in: what its header says before the first event, what its
// records say after the last one. Analyses, reports and replay use them as they are. Files have
// them as text (trace/run_facts_text.h); formats other than recordings and .ftrace have none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "trace/location.h"
#include "trace/properties.h"
#include "trace/recording/facts.h"
#include "trace/statement_facts.h"

namespace foretell::trace {

// Memory whose races the program has called harmless, and the events between which that holds: from
// the declaration until the memory is freed, or to the end.
struct BenignRange {
  Location memory;
  EventIndex first{}, end = kNoEvent;
  bool operator==(const BenignRange&) const = default;
};

// Threads are meant by their names in the trace: "T3".
struct ThreadTitle {
  std::string thread;
  std::string title;  // what the program calls it
  bool operator==(const ThreadTitle&) const = default;
};

// A wait that was never served, so that it has no event.
struct UnservedWait {
  std::string thread;
  EventIndex index{};  // of the first event after it began
  recording::Awaited awaited{};
  std::string object;  // the semaphore, thread or memory
  std::string site;    // may be empty
  bool operator==(const UnservedWait&) const = default;
};

struct ThreadCreation {
  uint64_t thread = 0, parent = 0;  // as recordings number them
  bool operator==(const ThreadCreation&) const = default;
};

struct RunFacts {
  std::optional<RecordingFacts> recording;  // none: the trace is no recording
  bool has_unrecorded_writes = false;       // a read may return what no recorded write has stored
  // What was left out of the recording is in hard order only as long as reads keep their writers
  // (docs/semantics.md, "What reads demand").
  bool needs_writers = false;
  uint64_t skipped = 0;                   // accesses that the compiler left out: of private stack
  uint64_t repeated = 0;                  // and repeats in one block
  std::vector<ThreadCreation> creations;  // by others than thread 0
  std::vector<ThreadTitle> titles;
  std::vector<UnservedWait> unserved;  // of a run that ended as a deadlock
  std::vector<BenignRange> benign;
  std::vector<Location> zeroed;  // global variables that the program's image fills with zeros
  std::vector<StatementFacts> statements;  // each statement once
  std::optional<uint64_t> ambiguous;       // reads of a parallel recording
  Properties other;                        // of a file whose writer knew more

  // Empty if the program did not name the thread.
  std::string_view title_of(std::string_view thread) const {
    const auto it = std::ranges::find(titles, thread, &ThreadTitle::thread);
    return it == titles.end() ? std::string_view() : it->title;
  }
  const UnservedWait* unserved_wait_of(std::string_view thread) const {
    const auto it = std::ranges::find(unserved, thread, &UnservedWait::thread);
    return it == unserved.end() ? nullptr : &*it;
  }

  bool operator==(const RunFacts&) const = default;
};

}  // namespace foretell::trace
