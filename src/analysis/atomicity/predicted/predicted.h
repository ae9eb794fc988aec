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
// the write before it: an intruder between any two is between such a pair. Pairs of locations are
// taken from the last few accesses only. Accesses of the same thread, operation and site stand for
// each other; the first few of each are kept. Not proposed is what cannot be: the two are ordered
// by fork and join, or a lock is held throughout the block's two accesses that the intruder holds,
// too.
//
// When intruder and last access hold a lock in common, the judge may bring the two acquires side by
// side instead of the accesses (analysis/judging.cc): the intruder's section can come first, and
// that it ends is assumed, as PREDICT does. Where the intruder's block took that lock already
// before, its first acquire is proposed instead of its access.
//
// Two passes: the first finds out which locations are shared and accessed in blocks. Cost: events,
// then a bounded product per location. Memory: shared locations of blocks. Misses cycles over more
// than two threads or locations, locations far apart, and later instances of a site that only can
// be violated; nothing is claimed that the judge has not built.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/atomicity/block_stacks.h"
#include "base/dense_table.h"
#include "order/vector_clock.h"

namespace foretell {

class PredictedAtomicity final : public AnalysisOf<PredictedAtomicity> {
 public:
  PredictedAtomicity(const AnalysisOptions& options, ProposalSink& sink)
      : options_(options), sink_(sink), blocks_(std::make_unique<BlockStacks>(options)) {}

  void on_event(const Event& e);
  void finish() override;
  bool wants_another_pass() override { return pass_ == 1 && has_blocks_; }
  void report_counters(CounterSink& sink) const override;

  static constexpr size_t kMostInstances = 3;  // of the same sites
  static constexpr size_t kNearLocations = 4;  // that an access is paired with
  static constexpr uint64_t kMostProposals = 200'000;

 private:
  struct Held {
    LockId lock{};
    bool shared = false;
    EventRef acquire;
  };
  using HeldLocks = std::shared_ptr<const std::vector<Held>>;

  struct Access {
    EventRef event;
    BlockStack stack;
    HeldLocks held;
    HeldLocks taken;    // first acquires in the transaction; null outside
    VectorClock clock;  // by fork and join
    LocationId location{};
  };
  // Two accesses of a thread, the earlier one first; of a block, or of an intruder.
  struct Pair {
    Access first, last;
    BlockStack block;  // the innermost around both; null for intruders
  };
  struct OfLocation {
    std::vector<Pair> pairs;        // of blocks
    std::vector<Access> intruders;  // of anybody
  };
  struct OfTwo {
    std::vector<Pair> pairs, intruders;
  };
  struct Location {
    bool is_written = false, in_block = false, is_shared = false, is_touched = false;
    ThreadId owner{};
    bool matters() const { return is_written && in_block && is_shared; }
  };
  struct Recent {
    Access last;
    std::optional<Access> last_write;
  };
  struct Thread {
    std::vector<Held> held;
    HeldLocks snapshot;
    std::shared_ptr<std::vector<Held>> taken;  // as in Access
    VectorClock clock;
    absl::flat_hash_map<LocationId, Recent> recent;  // in the present transaction
    std::vector<Access> near;                        // of other locations, the latest last
    bool has_clock = false;
  };
  using Key = std::array<uint64_t, 5>;

  void note(const Event& e);
  void look(const Event& e);
  void block(const Event& e);
  void access(const Event& e);
  void acquire(const Event& e, bool shared);
  void release(const Event& e);
  void pair_up(const Access& first, const Access& last);
  void pair_locations(const Access& now);
  VectorClock& clock(ThreadId thread);
  // Whether it is one of the first of its kind.
  bool is_new(uint64_t table, const Access& first, const Access& last);

  void propose(const Pair& pair, const Access& intruder);
  void propose(const Pair& pair, const Pair& intruder);
  void propose_acquires(const Pair& pair, const Access& intruder, std::string_view pattern);
  static bool can_come_between(const Pair& pair, const Access& intruder);
  static bool is_guarded(const Pair& pair, const Access& intruder);
  static std::vector<EventRef> meeting_of(const Pair& pair, const Access& first,
                                          const Access& last);
  bool may_propose();

  const AnalysisOptions options_;
  ProposalSink& sink_;
  std::unique_ptr<BlockStacks> blocks_;
  int pass_ = 0;
  bool has_blocks_ = false;
  DenseTable<Location, LocationId> locations_;
  DenseTable<Thread, ThreadId> threads_;
  absl::flat_hash_map<LocationId, OfLocation> by_location_;
  absl::flat_hash_map<std::pair<LocationId, LocationId>, OfTwo> by_two_;
  absl::flat_hash_map<Key, uint32_t> instances_;

  uint64_t locations_that_matter_ = 0, accesses_ = 0, pairs_ = 0, proposals_ = 0, guarded_ = 0,
           ordered_ = 0;
};

}  // namespace foretell
