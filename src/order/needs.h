// Needs: which events every reordering must contain that ends with two given accesses side by side.
//
// Each thread contributes a prefix, so the answer is a limit per thread. An event needs its
// thread's fork, its location's allocation and earlier frees, its writer, its notify, its post, the
// enters of its barrier generation, all of a joined thread. A lock that a racing thread holds at
// its access stays held, so every other needed section of that lock needs its end. An event at or
// after a racing access can never be needed: then the race is impossible.
//
// A read whose writer is not known (Event::kAmbiguous) needs no writer, but no witness may contain
// it either: ambiguous() then names it, and neither a witness nor a refusal can be had.
//
// With recorded choices also what is not strictly needed but the recorded run had: the holder that
// made a try fail, the end of a section recorded before another needed section of its lock.
//
// Linear in the events found needed.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <optional>
#include <string>
#include <vector>

#include "order/trace_facts.h"

namespace foretell {

class Needs {
 public:
  Needs(const TraceFacts& facts, Position first, Position second);

  // Adds `p` and what it needs. False if that contradicts the race; then contradiction() says why.
  bool require(Position p);
  // Notes a contradiction found elsewhere; returns false.
  bool refuse(std::string reason);
  // Adds the recorded choices; meaningless after a contradiction.
  bool add_recorded_choices();

  const std::optional<std::string>& contradiction() const { return contradiction_; }
  // A needed read whose writer is not known, or none.
  Position ambiguous() const { return ambiguous_; }
  // By thread: how many of its first events are needed.
  const std::vector<uint32_t>& limits() const { return limits_; }
  bool is_needed(Position p) const { return facts_.step[p] < limits_[facts_.thread_index(p)]; }
  size_t count() const;
  // The begins of needed sections, in no particular order.
  const std::vector<Position>& sections() const { return sections_; }
  // True if the section begun by `p` is needed, but not its end.
  bool is_open(Position p) const {
    return facts_.match[p] == kNoPosition || !is_needed(facts_.match[p]);
  }
  bool is_racing_thread(size_t thread) const {
    return thread == racers_[0] || thread == racers_[1];
  }
  // A racing thread's section of p's lock that never ends and excludes the one `p` begins, or none.
  Position held_against(Position p) const;

 private:
  bool raise(Position p);
  bool drain();
  bool add_needs_of(Position p);
  bool need_enters(BarrierId barrier, uint64_t generation);

  const TraceFacts& facts_;
  Position accesses_[2];
  size_t racers_[2];                // their threads
  uint32_t frees_at_race_ = 0;      // frees of the racing location that happen before the race
  std::vector<uint32_t> limits_;    // by thread
  std::vector<Position> work_;      // needed, own needs not yet added
  std::vector<Position> sections_;  // see sections()
  absl::flat_hash_map<LockId, std::vector<Position>> held_at_race_;
  std::vector<Position> failed_tries_;
  std::optional<std::string> contradiction_;
  Position ambiguous_ = kNoPosition;
};

}  // namespace foretell
