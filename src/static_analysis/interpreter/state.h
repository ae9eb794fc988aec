// SPDX-License-Identifier: Apache-2.0

// What is known at a point of a thread: what memory holds as far as this thread has seen to it, which
// threads it has started, and what branches say about registers.
#pragma once

#include <map>
#include <memory>

#include "static_analysis/interpreter/places.h"
#include "static_analysis/memory/cells.h"

namespace foretell::static_analysis::interpreter {

inline memory::Writer writer_of(ThreadId thread) {
  return memory::Writer{number(thread) + 1};
}

template <typename Cell>
struct PlaceState {
  Cell held;
  // Threads that were started from here and whose writes the last write here has replaced.
  std::set<ThreadId> replaced;
  // Threads that had been started when this thread last wrote.
  std::set<ThreadId> older;
  // This thread has surely written since it began.
  bool is_own = false;
  bool operator==(const PlaceState&) const = default;
};

// Places share their states until they differ, so that joining costs what differs.
template <typename Cell>
class State {
 public:
  using Pointer = std::shared_ptr<const PlaceState<Cell>>;
  bool is_reached = false;
  std::vector<Pointer> places;  // of typed ones
  std::set<ThreadId> started, surely_started;
  std::map<const llvm::Value*, Value> refined;

  const PlaceState<Cell>& at(PlaceId id) const { return *places[number(id)]; }
  void set(PlaceId id, PlaceState<Cell> state) {
    places[number(id)] = std::make_shared<const PlaceState<Cell>>(std::move(state));
  }

  void join(const State& other) { merge(other, nullptr); }
  void widen(const State& next, std::span<const int64_t> thresholds) { merge(next, &thresholds); }
  bool is_same(const State& other) const {
    if (is_reached != other.is_reached || started != other.started ||
        surely_started != other.surely_started || refined != other.refined)
      return false;
    if (!is_reached) return true;
    for (size_t i = 0; i < places.size(); i++)
      if (places[i] != other.places[i] && !(*places[i] == *other.places[i])) return false;
    return true;
  }

 private:
  void merge(const State& other, const std::span<const int64_t>* thresholds) {
    if (!other.is_reached) return;
    if (!is_reached) {
      *this = other;
      return;
    }
    for (size_t i = 0; i < places.size(); i++) {
      if (places[i] == other.places[i] || !places[i]) continue;
      const PlaceState<Cell>&a = *places[i], &b = *other.places[i];
      if (a == b) continue;
      PlaceState<Cell> made{.held = a.held.join(b.held), .replaced = {}, .older = {}};
      if (thresholds) made.held = a.held.widen(made.held, *thresholds);
      for (const ThreadId thread : a.replaced)
        if (b.replaced.contains(thread) || !other.started.contains(thread))
          made.replaced.insert(thread);
      for (const ThreadId thread : b.replaced)
        if (!started.contains(thread)) made.replaced.insert(thread);
      made.older = a.older;
      made.older.insert(b.older.begin(), b.older.end());
      made.is_own = a.is_own && b.is_own;
      if (!(made == a)) places[i] = std::make_shared<const PlaceState<Cell>>(std::move(made));
    }
    started.insert(other.started.begin(), other.started.end());
    std::erase_if(surely_started,
                  [&](ThreadId thread) { return !other.surely_started.contains(thread); });
    for (auto at = refined.begin(); at != refined.end();) {
      const auto found = other.refined.find(at->first);
      // What grows is not widened but forgotten.
      const bool grows = found != other.refined.end() && !found->second.is_below(at->second);
      if (found == other.refined.end() || (thresholds && grows)) {
        at = refined.erase(at);
        continue;
      }
      if (grows) at->second = at->second.join(found->second);
      at++;
    }
  }
};

}  // namespace foretell::static_analysis::interpreter
