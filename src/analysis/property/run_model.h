// SPDX-License-Identifier: Apache-2.0

// RunModel: what is left of a trace for the generation of consistent runs.
//
// Kept are the steps that a property sees and those that decide which orders are possible:
// synchronization, and accesses of contended locations (clocks/contended_cells.h). All other steps
// can be put back anywhere their threads come by, which changes no order of what is kept
// (docs/semantics.md, "Contended locations"). For each thread the model has its kept steps, and for
// each step what it waits for and which other threads have steps that it does not commute with.
//
// A cut is how many kept steps each thread has done, and what does not follow from that: the last
// writer of a location that several threads write, and which waits were notified. Who holds a lock
// does follow.
//
// The rules are those of docs/semantics.md, so that runs are the judge's correct reorderings. What
// reads demand is the facts' (TraceFacts::serves): their writer, their value, or, for reads that are
// free, nothing. Every run that is reported passes the judge's own checker afterwards.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <span>
#include <vector>

#include "judge/trace_facts.h"

namespace foretell::analysis {

// A set of threads. More threads than bits: the set of all stands for what does not fit.
using ThreadSet = uint64_t;
inline constexpr size_t kMostThreads = 64;

// What keeps a run from being a mere correct reordering.
enum class Causality : uint8_t {
  correct_reorderings,  // sections of a lock, and accesses, may change places where reads allow it
  happens_before,       // all synchronization and conflicting accesses keep their recorded order
  // Plain reads may return anything. Not all of these runs exist, so only the real program can tell:
  // for trials (pipeline/trials.h).
  any_reads,
};

// By location: whether its plain accesses decide which orders are possible. If reads may return their
// value from another write, all that several threads use does.
std::vector<bool> contended_locations(const judge::TraceFacts& facts);

class RunModel {
 public:
  // `visible`: by position, whether the property sees the step. At most kMostThreads threads.
  RunModel(const judge::TraceFacts& facts, const std::vector<bool>& contended,
           const std::vector<bool>& visible, Causality causality);

  size_t thread_count() const { return steps_.size(); }
  size_t size() const { return kept_; }
  std::span<const judge::Position> steps_of(size_t thread) const { return steps_[thread]; }
  bool is_visible(judge::Position p) const { return visible_[p]; }
  const judge::TraceFacts& facts() const { return facts_; }

  // The words of a cut: first the progress of each thread.
  using Words = std::vector<uint32_t>;
  Words initial() const;
  // The next step of a thread, or none.
  judge::Position next_of(const Words& cut, size_t thread) const {
    return cut[thread] < steps_[thread].size() ? steps_[thread][cut[thread]] : judge::kNoPosition;
  }
  bool is_complete(const Words& cut) const;

  // Whether a step that is next in its thread can be done.
  struct Obstacle {
    bool is_enabled = false;
    ThreadSet helpers = 0;  // if not: the threads one of which must move first; none: it never can
  };
  Obstacle obstacle(const Words& cut, judge::Position p) const;
  // The threads, other than its own, with steps to come that do not commute with it.
  ThreadSet conflicting(const Words& cut, judge::Position p) const;
  void apply(Words& cut, judge::Position p) const;
  // Makes cuts equal that nothing to come tells apart.
  void forget_writers(Words& cut) const;

  // Whether some thread of the set has a visible step to come; which have.
  ThreadSet with_visible(const Words& cut) const;

  // A run of kept steps, with the steps put back that its threads come by; of a complete run with
  // those that come after, too.
  judge::Interleaving completed(std::span<const judge::Position> run, bool to_the_end) const;

 private:
  // The last use of something by a thread, as a number of kept steps; 0: never.
  struct Use {
    uint32_t thread;
    uint32_t any;       // any use
    uint32_t changes;   // a write, an acquire
    uint32_t failures;  // a failed try of a lock
  };
  using Uses = std::vector<Use>;
  struct Section {
    uint32_t begin, end;  // in kept steps of the thread
    bool shared;
  };
  struct SectionsOfThread {
    uint32_t thread;
    std::vector<Section> sections;
  };

  void choose(const std::vector<bool>& contended, const std::vector<bool>& visible);
  void keep_steps(const std::vector<bool>& keep);
  void note_use(std::vector<Uses>& all, size_t object, judge::Position p, bool changes, bool fails);
  void index_uses();
  void index_sections();
  void index_writers();
  void order_as_recorded();

  bool happened(const Words& cut, judge::Position p) const {
    return kept_step_[p] < cut[facts_.thread_index(p)];
  }
  ThreadSet bit(size_t thread) const { return ThreadSet{1} << thread; }
  ThreadSet bit_of(judge::Position p) const { return bit(facts_.thread_index(p)); }
  ThreadSet still(const Words& cut, const Uses& uses, uint32_t Use::* what, size_t but) const;
  judge::Position last_writer(const Words& cut, LocationId location) const;
  // Who holds the lock so that it cannot be taken.
  ThreadSet holders(const Words& cut, LockId lock, bool wants_shared) const;
  bool is_unnotified(const Words& cut, judge::Position wait) const;
  Obstacle access_obstacle(const Words& cut, judge::Position p) const;
  Obstacle lock_obstacle(const Words& cut, judge::Position p) const;
  Obstacle wake_obstacle(const Words& cut, judge::Position p) const;
  Obstacle notify_obstacle(const Words& cut, judge::Position p) const;
  Obstacle barrier_obstacle(const Words& cut, judge::Position p) const;

  const judge::TraceFacts& facts_;
  const Causality causality_;
  std::vector<bool> visible_;
  size_t kept_ = 0;
  std::vector<std::vector<judge::Position>> steps_;  // by thread
  std::vector<uint32_t> kept_step_;     // by position: its place among the kept steps, or ~0
  std::vector<uint32_t> last_visible_;  // by thread: kept steps up to the last one
  std::vector<Uses> location_uses_, lock_uses_, condition_uses_;
  std::vector<std::vector<SectionsOfThread>> sections_;  // by lock
  std::vector<int32_t> tracked_;                         // by location: its word, or -1
  std::vector<int32_t> only_writer_;  // by location: the thread, or -1 (none or several)
  // Of tracked locations: who reads a write, or what was there before all writes.
  absl::flat_hash_map<judge::Position, Uses> readers_;
  absl::flat_hash_map<LocationId, Uses> initial_readers_;
  absl::flat_hash_map<LocationId, Uses> flexible_readers_;  // that several writes can serve
  static constexpr uint32_t kForgotten = ~0u;  // the word of a write that nobody will read
  size_t notified_word_ = 0;                   // two words; 0: the trace has no waits
  size_t words_ = 0;
  // Causality::happens_before: by kept position, steps that must have happened.
  std::vector<std::vector<judge::Position>> recorded_before_;
};

}  // namespace foretell::analysis
