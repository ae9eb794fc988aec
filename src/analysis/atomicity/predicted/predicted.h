// SPDX-License-Identifier: Apache-2.0

// predicted: atomic blocks that an access of another thread could break, in whatever schedule.
//
// Looks for what no serial order explains, and leaves it to the judge whether a schedule has it:
//   one location    two accesses of a block and one of another thread between them that conflicts
//                   with both: R-W-R, W-W-R, R-W-W, W-R-W, and those with read-modify-writes. Three
//                   plain writes are left out: their outcome is that of the intruder coming first
//   two locations   the block accesses x and then y, the other thread x and then y, each
//                   conflicting with the block's, both between the two
// SideTrack sees only blocks that take a lock twice; this sees the accesses, locked or not.
//
// In a block each access is paired with the one before it of the same location, and each write with
// the write and the read before it: an intruder between any two is between such a pair. Pairs of
// locations are taken from the last few accesses only. Accesses of the same thread, operation and
// site stand for each other; the first few of each are kept, and a few more with other locks in
// hand or after other forks and joins. Not proposed is what cannot be: the two are ordered by fork
// and join, or a lock is held throughout the block's two accesses that the intruder holds, too.
//
// When intruder and last access hold a lock in common, the judge may bring the two acquires side by
// side instead of the accesses (analysis/judging.cc): the intruder's section can come first, and
// that it ends is assumed, as PREDICT does. Where the intruder's block took that lock already
// before, its first acquire is proposed instead of its access.
//
// Most of that is known beforehand: where all accesses of a location that fork and join do not
// order hold a lock that the block holds throughout, too, nothing is kept.
//
// Three passes: the first finds out which locations are shared and accessed in blocks, and under
// which locks; the second keeps the pairs of blocks, the third what could come between them. Cost:
// events, then a bounded product per location. Memory: kept accesses at 56 bytes, pairs at 16; what
// accesses have in common (locks, blocks, clock) is kept once for as long as it stays the same.
// Misses cycles over more than two threads, locations far apart, and later instances of a site that
// only can be violated; nothing is claimed that the judge has not built.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/atomicity/block_stacks.h"
#include "analysis/race/eraser/lockset_table.h"
#include "base/dense_table.h"
#include "clocks/vector_clock.h"

namespace foretell::analysis {

class PredictedAtomicity final : public AnalysisOf<PredictedAtomicity> {
 public:
  PredictedAtomicity(const AnalysisOptions& options, ProposalSink& sink)
      : options_(options), sink_(sink), blocks_(std::make_unique<BlockStacks>(options)) {}

  void on_event(const trace::Event& e);
  void finish() override;
  bool wants_another_pass() override {
    return (pass_ == 1 && has_blocks_) || (pass_ == 2 && !(pairs_.empty() && block_pairs_.empty()));
  }
  void report_counters(CounterSink& sink) const override;

  static constexpr size_t kFirstInstances = 3;  // of the same sites
  static constexpr size_t kMostInstances = 8;   // with those in other circumstances
  static constexpr size_t kNearAccesses = 8;    // of other locations, that one is paired with
  static constexpr uint64_t kMostProposals = 200'000;

 private:
  struct Held {
    LockId lock{};
    bool shared = false;
    finding::EventRef acquire;
  };
  using HeldLocks = std::shared_ptr<const std::vector<Held>>;

  // What the accesses of a thread have in common until it changes.
  struct Circumstances {
    BlockStack stack;
    HeldLocks held;
    HeldLocks taken;            // first acquires in the transaction; null outside
    clocks::VectorClock clock;  // by fork and join
    uint64_t digest;            // of the held locks, forks and joins
  };
  using AccessId = uint32_t;
  static constexpr AccessId kNotKept = UINT32_MAX;
  struct Access {
    finding::EventRef event;
    std::shared_ptr<const Circumstances> in;
    LocationId location{};
    AccessId kept = kNotKept;  // in kept_
    uint64_t digest = 0;       // of the circumstances, and whose turn it is at the location
  };
  // Two accesses of a thread, the earlier one first; of a block, or of an intruder. With one
  // location `locations` is it twice.
  struct Pair {
    uint64_t locations;
    AccessId first, last;

    auto operator<=>(const Pair&) const = default;
  };
  struct Location {
    bool is_written = false, in_block = false, is_shared = false, is_touched = false;
    ThreadId owner{};    // the last one
    uint32_t turns = 0;  // how often it changed
    // Locks that every access held; those of the first thread do not count while it was alone, if
    // all others come after it by fork and join.
    LocksetId lockset{}, lockset_alone{};
    clocks::Epoch alone;  // the last access of the first thread while it was alone
    bool matters() const { return is_written && in_block && is_shared; }
  };
  struct Recent {
    Access last;
    std::optional<Access> last_read, last_write;
  };
  struct Thread {
    std::vector<Held> held;
    std::shared_ptr<const Circumstances> now;  // null if they have changed
    HeldLocks snapshot;                        // of `held`; null if they have changed
    std::shared_ptr<std::vector<Held>> taken;  // as in Circumstances
    clocks::VectorClock clock;
    LocksetId lockset{};  // of `held`
    bool has_lockset = false;
    uint32_t forks_and_joins = 0;
    absl::flat_hash_map<LocationId, Recent> recent;  // in the present transaction
    std::vector<Access> near;  // the last read and write of each of the last locations
    bool has_clock = false;
  };
  enum class Table : uint8_t { intruder, pair, two, two_intruders };
  // How many of the same two places were kept, and the digest of the last one.
  struct Instances {
    uint32_t count = 0;
    uint32_t digest = 0;
  };

  void note(const trace::Event& e);
  void note_access(const trace::Event& e);
  void look(const trace::Event& e);
  void follow(const trace::Event& e);
  LocksetId lockset_of(ThreadId id);
  void block(const trace::Event& e);
  void access(const trace::Event& e);
  void fork(const trace::Event& e);
  void join(const trace::Event& e);
  void acquire(const trace::Event& e, bool shared);
  void release(const trace::Event& e);
  const std::shared_ptr<const Circumstances>& circumstances(ThreadId id);
  void pair_accesses(Access& now);
  void note_intruder(Access& now);
  bool is_always_guarded(LocationId location, const Access& first, const Access& last);
  void pair_up(Access& first, Access& now);
  void pair_locations(Access& now);
  clocks::VectorClock& clock(ThreadId thread);
  void changed(ThreadId thread) { threads_[thread].now.reset(); }
  AccessId keep(Access& access);
  uint32_t place_of(const Access& access);
  // Whether it is one of the first of its kind, or in circumstances of its own.
  bool is_new(Table table, const Access& first, const Access& last);

  template <class Visit>
  static void for_each_common(const std::vector<Pair>& pairs, const std::vector<Pair>& others,
                              Visit visit);
  void propose_all();
  void propose(const Pair& pair, const Access& intruder);
  void propose(const Pair& pair, const Pair& intruder);
  void propose_acquires(const Pair& pair, const Access& intruder,
                        finding::AtomicityPattern pattern);
  bool can_come_between(const Pair& pair, const Access& intruder) const;
  bool is_guarded(const Pair& pair, const Access& intruder) const;
  std::vector<finding::EventRef> meeting_of(const Pair& pair, const Access& first,
                                            const Access& last) const;
  const BlockFrame* block_of(const Pair& pair) const;
  bool may_propose();

  const AnalysisOptions options_;
  ProposalSink& sink_;
  std::unique_ptr<BlockStacks> blocks_;
  int pass_ = 0;
  bool has_blocks_ = false;
  DenseTable<Location, LocationId> locations_;
  LocksetTable locksets_;
  DenseTable<Thread, ThreadId> threads_;
  std::vector<Access> kept_;
  std::vector<Pair> intruders_;                     // single accesses of anybody, twice each
  std::vector<Pair> pairs_;                         // of a block, one location
  std::vector<Pair> block_pairs_, intruder_pairs_;  // two locations
  absl::flat_hash_set<uint64_t> block_locations_;   // of pairs_ and block_pairs_
  absl::flat_hash_map<std::array<uint64_t, 2>, uint32_t> places_;  // thread, location, kind, site
  std::array<absl::flat_hash_map<uint64_t, Instances>, 4> instances_;  // by table: two places

  uint64_t locations_that_matter_ = 0, accesses_ = 0, proposals_ = 0, guarded_ = 0, ordered_ = 0;
};

}  // namespace foretell::analysis
