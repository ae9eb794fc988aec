// SPDX-License-Identifier: Apache-2.0

// FastTrack (Flanagan and Freund, PLDI 2009): happens-before races at the cost of an epoch.
//
// As long as a location has no race, its writes are totally ordered, so the last write's epoch
// stands for all of them. Reads are usually ordered too and kept as one epoch; only when two reads
// are concurrent does the location get a vector of reads, which the next write ends. Each access
// falls under one rule, counted by name:
//
//   read same epoch         the thread's last read of x, in this epoch: nothing to do
//   read shared same epoch  the same, found in x's vector
//   read exclusive          after the last read: its epoch replaces it
//   read share              concurrent with the last read: x gets a vector
//   read shared             x has a vector: the thread's entry is set
//   write same epoch        the last write is the thread's, in this epoch: nothing to do
//   write exclusive         x has a read epoch: two comparisons
//   write shared            x has a vector: compared with all of it, then the vector is dropped
//
// A free is a write, but never "same epoch". Atomic accesses, which never race with each other and
// so are not totally ordered by the absence of races, have vectors per location in a side table
// ("atomic first in epoch", "atomic same epoch"); a write drops them, for the same reason as reads.
//
// Cost: constant for all rules but read shared (log threads) and write shared, and accesses of
// locations that are used atomically as well. 40 bytes per location; vectors only where reads are
// concurrent at present.
// Every reported pair is unordered by happens-before, and the first race of each location is found
// (the same second access as happens_before's); after it, further pairs on the location may be
// missed. EventRefs name the access that set the epoch, the first of its epoch.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <vector>

#include "analysis/analysis.h"
#include "analysis/race/access_history.h"
#include "analysis/race/race_candidates.h"
#include "base/dense_table.h"
#include "clocks/sync_clocks.h"

namespace foretell::analysis {

class FastTrack final : public AnalysisOf<FastTrack> {
 public:
  FastTrack(const AnalysisOptions& options, ProposalSink& sink) : candidates_(options, sink) {}

  [[gnu::always_inline]] void on_event(const trace::Event& e) {
    if (e.kind <= trace::EventKind::Write) [[likely]] {
      const clocks::Epoch now = clocks_.known_epoch(e.thread);
      const LocationState* x = locations_.find(e.location());
      // One comparison for both rules: which of the two an access falls under is hard to foresee.
      if (x && x->latest[to_index(e.kind)] == now && !now.is_zero()) [[likely]] {
        ++same_epoch_[to_index(e.kind)];
      } else {
        plain_access(e);
      }
    } else {
      other(e);
    }
  }

  void report_counters(CounterSink& sink) const override;

 private:
  // Time of no access: x.read_index is the number of a vector in shared_reads_.
  static constexpr clocks::Epoch kShared{ThreadId{clocks::Epoch::kThreads - 1},
                                         clocks::Epoch::kLastTime};

  struct LocationState {
    clocks::Epoch latest[2];  // by EventKind: read (or kShared), write
    uint64_t write_index : 62 = 0;
    uint64_t freed : 1 = 0;        // the last write is a free
    uint64_t has_atomics : 1 = 0;  // atomics_ has a row
    uint64_t read_index = 0;
    SiteId write_site = kNoSite;
    SiteId read_site = kNoSite;

    clocks::Epoch& read() { return latest[0]; }
    clocks::Epoch& write() { return latest[1]; }
    clocks::Epoch read() const { return latest[0]; }
    clocks::Epoch write() const { return latest[1]; }
    AccessEntry last_write() const {
      return {write(), EventIndex{write_index}, write_site,
              freed ? trace::EventKind::Free : trace::EventKind::Write};
    }
    AccessEntry last_read() const {
      return {read(), EventIndex{read_index}, read_site, trace::EventKind::Read};
    }
  };
  static_assert(trace::EventKind::Read == trace::EventKind{0} &&
                trace::EventKind::Write == trace::EventKind{1});
  static_assert(sizeof(LocationState) == 40, "one location is less than a cache line");

  void plain_access(const trace::Event& e);
  void read(const trace::Event& e, clocks::Epoch now, LocationState& x);
  void read_share(const trace::Event& e, clocks::Epoch now, LocationState& x);
  void write(const trace::Event& e, clocks::Epoch now, LocationState& x);
  void end_shared_reads(LocationState& x);
  void other(const trace::Event& e);
  void atomic_access(const trace::Event& e);
  void check_writes(const trace::Event& e, const LocationState& x);
  void check_reads(const trace::Event& e, const LocationState& x);

  clocks::SyncClocks clocks_;
  DenseTable<LocationState, LocationId> locations_;
  std::vector<AccessVector> shared_reads_;
  std::vector<uint32_t> unused_shared_reads_;
  absl::flat_hash_map<LocationId, AtomicAccesses> atomics_;
  RaceCandidates candidates_;

  uint64_t same_epoch_[2] = {};  // read, write
  uint64_t read_shared_same_epoch_ = 0, read_exclusive_ = 0, read_share_ = 0, read_shared_ = 0,
           write_exclusive_ = 0, write_shared_ = 0, atomic_first_in_epoch_ = 0,
           atomic_same_epoch_ = 0, others_ = 0;
};

}  // namespace foretell::analysis
