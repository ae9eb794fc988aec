// SPDX-License-Identifier: Apache-2.0

// FreeReads: which reads may return anything without changing what a goal needs (docs/semantics.md,
// "Which reads are free"; after SLICED 2.3, whose relation is looser).
//
// The set of what is *kept* is computed backwards. The goal's events must happen, and so must all
// synchronization, whether the goal needs it or not: it blocks. An event that must happen keeps what
// decides whether it is reached. A kept read keeps its write with the value that it stored, and
// whatever might write the location on another way. A kept value keeps the reads it is computed
// from. Statements of which nothing is known keep all that their thread has read before. The plain
// reads that are left are free.
//
// Linear in the trace, for each goal.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <span>
#include <utility>
#include <vector>

#include "judge/interleaving.h"
#include "trace/statement_facts.h"
#include "trace/trace.h"

namespace foretell::judge {

class FreeReads {
 public:
  // `trace`, `writers` and `statements` outlive this. `writers`: by position, the write that a read
  // returned, or kNoPosition. `contained`: trace/contained_statements.h.
  FreeReads(const trace::Trace& trace, std::span<const Position> writers,
            const std::vector<trace::StatementFacts>& statements,
            std::span<const SiteId> contained);

  // No goal leaves a read free.
  bool is_empty() const { return base_.kept == plain_reads_; }
  // By position: the reads that may return anything if these events must happen. Empty: none.
  std::vector<bool> free_for(std::span<const Position> events) const;

 private:
  // What is marked so far, and whose consequences are still to be drawn.
  struct Marks {
    std::vector<bool> needed, valued;  // by position
    size_t kept = 0;                   // plain reads that are valued
    std::vector<Position> left;
    // How many events of a thread at a site, and at all sites, have been looked at already.
    absl::flat_hash_map<std::pair<ThreadId, SiteId>, uint32_t> kept_at;
    absl::flat_hash_map<ThreadId, uint32_t> kept_of;
    absl::flat_hash_map<LocationId, bool> read;
  };
  struct Row {
    std::vector<SiteId> controllers, uses;
    bool known = false, contained = false;
  };

  void need(Position p, Marks& marks) const;
  void value(Position p, Marks& marks) const;
  void follow(Marks& marks) const;
  void keep_earlier_at(SiteId site, Position p, Marks& marks) const;
  void keep_all_earlier(Position p, Marks& marks) const;
  void keep_value_read(Position read, Marks& marks) const;
  const Row* row_of(SiteId site) const;

  const trace::Trace& trace_;
  const std::span<const Position> writers_;
  const std::vector<trace::StatementFacts>& statements_;
  absl::flat_hash_map<SiteId, Row> rows_;
  absl::flat_hash_map<std::pair<ThreadId, SiteId>, std::vector<Position>> events_at_;
  absl::flat_hash_map<ThreadId, std::vector<Position>> deciders_of_;  // reads and branches
  absl::flat_hash_map<SiteId, std::vector<Position>> everywhere_at_;  // of all threads
  size_t plain_reads_ = 0;
  Marks base_;  // what every goal keeps
};

}  // namespace foretell::judge
