// SPDX-License-Identifier: Apache-2.0

#include "explorer.h"

#include <set>

namespace foretell::oracle {
namespace {

class Search {
 public:
  Search(const Semantics& semantics, Visitor& visitor) : semantics_(semantics), visitor_(visitor) {}

  size_t run() {
    descend(semantics_.initial());
    return seen_.size();
  }

 private:
  void descend(const State& state) {
    if (!seen_.insert(state).second) return;
    visitor_.visit(state, path_);
    for (uint32_t t = 0; t < semantics_.thread_count(); ++t) {
      const auto p = semantics_.next(state, ThreadId{t});
      if (!p || !semantics_.enabled(state, *p) || !visitor_.may_follow(state, *p)) continue;
      path_.push_back(*p);
      descend(semantics_.after(state, *p));
      path_.pop_back();
    }
  }

  const Semantics& semantics_;
  Visitor& visitor_;
  std::set<State> seen_;
  Interleaving path_;
};

void extend(const Semantics& semantics, const State& state, Interleaving& path,
            const std::function<void(std::span<const Position>)>& visit) {
  visit(path);
  for (uint32_t t = 0; t < semantics.thread_count(); ++t) {
    const auto p = semantics.next(state, ThreadId{t});
    if (!p || !semantics.enabled(state, *p)) continue;
    path.push_back(*p);
    extend(semantics, semantics.after(state, *p), path, visit);
    path.pop_back();
  }
}

}  // namespace

size_t explore(const Semantics& semantics, Visitor& visitor) {
  return Search(semantics, visitor).run();
}

void for_each_reordering(const Semantics& semantics,
                         const std::function<void(std::span<const Position>)>& visit) {
  Interleaving path;
  extend(semantics, semantics.initial(), path, visit);
}

}  // namespace foretell::oracle
