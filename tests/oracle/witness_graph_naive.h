// SPDX-License-Identifier: Apache-2.0

// The definitions of NONDET, sections II and III, written down as they stand, for traces of a few
// events: graphs are matrices, every closure is computed anew for every witness.
//
// What the paper leaves open is read as in src/analysis/determinism/witness_graph: a locked scope
// has its acquire and its release; one that is never left comes after all others of its lock;
// without the writer, what follows from it does not occur either.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "analysis/determinism/witness_graph/witness_graph.h"
#include "trace/trace.h"

namespace foretell::oracle {

struct PaperWitness {
  judge::Position read;        // kNoPosition: the final read
  judge::Position writer;      // kNoPosition: the initial write
  judge::Position challenger;  // the same
  analysis::WitnessOrder order;
};

class NaiveWitnessGraph {
 public:
  explicit NaiveWitnessGraph(const trace::Trace& trace) : trace_(trace), n_(trace.events.size()) {}

  analysis::WitnessFate decide(const PaperWitness& witness) {
    present_.assign(n_, true);
    edges_ = Matrix(n_, std::vector<bool>(n_));
    add_partial_order();
    add_read_couples(witness.read);
    if (witness.order == analysis::WitnessOrder::without_writer) {
      const Matrix paths = closure(edges_);
      for (size_t p = 0; p < n_; ++p) {
        present_[p] = p != witness.writer && !paths[witness.writer][p];
      }
      if (!present_[witness.read]) return analysis::WitnessFate::cycle;
      if (witness.challenger != judge::kNoPosition && !present_[witness.challenger]) {
        return analysis::WitnessFate::cycle;
      }
      for (size_t p = 0; p < n_; ++p) {
        for (size_t q = 0; q < n_; ++q) edges_[p][q] = edges_[p][q] && present_[p] && present_[q];
      }
    }
    find_scopes();
    std::vector<Edge> order;
    if (witness.challenger != judge::kNoPosition && witness.read != judge::kNoPosition) {
      order.push_back({witness.challenger, witness.read});
    }
    if (witness.order == analysis::WitnessOrder::read_first)
      order.push_back({witness.read, witness.writer});
    if (witness.order == analysis::WitnessOrder::challenger_last &&
        witness.writer != judge::kNoPosition) {
      order.push_back({witness.writer, witness.challenger});
    }
    for (const auto& [from, to] : order) edges_[from][to] = true;
    if (!induce()) return analysis::WitnessFate::cycle;
    const std::vector<std::pair<Edge, Edge>> choices = choices_of(order);
    if (choices.empty()) return analysis::WitnessFate::no_choice;
    for (uint64_t graph = 0; graph >> choices.size() == 0; ++graph) {
      Matrix with = edges_;
      for (size_t i = 0; i < choices.size(); ++i) {
        const Edge& edge = graph >> i & 1 ? choices[i].second : choices[i].first;
        with[edge.first][edge.second] = true;
      }
      if (!has_cycle(closure(with))) return analysis::WitnessFate::choice_acyclic;
    }
    return analysis::WitnessFate::choice_all_cyclic;
  }

 private:
  using Matrix = std::vector<std::vector<bool>>;
  using Edge = std::pair<size_t, size_t>;
  struct LockedScope {
    size_t first, last;
    LockId lock;
    bool shared, is_left;
  };

  const trace::Event& event(size_t p) const { return trace_.events[p]; }

  static Matrix closure(Matrix m) {
    for (size_t k = 0; k < m.size(); ++k) {
      for (size_t i = 0; i < m.size(); ++i) {
        for (size_t j = 0; m[i][k] && j < m.size(); ++j) m[i][j] = m[i][j] || m[k][j];
      }
    }
    return m;
  }
  static bool has_cycle(const Matrix& paths) {
    for (size_t i = 0; i < paths.size(); ++i) {
      if (paths[i][i]) return true;
    }
    return false;
  }

  // Program order, and what waits for what.
  void add_partial_order() {
    for (size_t q = 0; q < n_; ++q) {
      const trace::Event& b = event(q);
      for (size_t p = 0; p < n_; ++p) {
        const trace::Event& a = event(p);
        if (a.thread == b.thread) {
          edges_[p][q] = p < q;
          continue;
        }
        const bool forks = a.kind == trace::EventKind::Fork && a.other_thread() == b.thread;
        const bool joins = b.kind == trace::EventKind::Join && b.other_thread() == a.thread;
        const bool serves =
            (b.kind == trace::EventKind::WaitEnd || b.kind == trace::EventKind::SemaphoreWait) &&
            b.partner() == a.index;
        edges_[p][q] = forks || joins || serves || meets(a, b) || touches(p, q);
      }
      if (b.kind == trace::EventKind::Join) {
        for (size_t p = 0; p < n_; ++p) {
          const trace::Event& a = event(p);
          if (a.kind == trace::EventKind::Fork && a.other_thread() == b.other_thread())
            edges_[p][q] = true;
        }
      }
      if (b.kind != trace::EventKind::WaitEnd) continue;
      // The wait that a notify served came before the notify.
      size_t wait = q;
      do {
        --wait;
      } while (event(wait).thread != b.thread);
      for (size_t p = 0; p < n_; ++p) {
        if (event(p).index == b.partner()) edges_[wait][p] = true;
      }
    }
  }
  bool meets(const trace::Event& a, const trace::Event& b) const {
    if (a.kind != trace::EventKind::BarrierEnter) return false;
    if (b.kind != trace::EventKind::BarrierEnter && b.kind != trace::EventKind::BarrierExit)
      return false;
    const uint64_t next = a.generation() + (b.kind == trace::EventKind::BarrierEnter ? 1 : 0);
    return a.barrier() == b.barrier() && b.generation() == next;
  }
  // Memory is allocated before it is accessed, and was freed as often.
  bool touches(size_t p, size_t q) const {
    const trace::Event &a = event(p), &b = event(q);
    if (!is_access(b.kind) || p > q) return false;
    if (a.kind == trace::EventKind::Free) return a.location() == b.location();
    return a.kind == trace::EventKind::Alloc && to_index(b.location()) < trace_.cells.size() &&
           trace_.cells[b.location()].alloc == a.index;
  }

  void add_read_couples(judge::Position broken) {
    for (size_t r = 0; r < n_; ++r) {
      if (!is_read(event(r).kind) || r == broken) continue;
      for (size_t w = r; w-- > 0;) {
        if (!is_write(event(w).kind) || event(w).location() != event(r).location()) continue;
        edges_[w][r] = true;
        break;
      }
    }
  }

  void find_scopes() {
    scopes_.clear();
    for (size_t p = 0; p < n_; ++p) {
      if (!present_[p] || !begins_section(event(p).kind)) continue;
      LockedScope scope{p, p, event(p).lock(), !begins_exclusive(event(p).kind), false};
      for (size_t q = p + 1; q < n_ && !scope.is_left; ++q) {
        if (!present_[q] || event(q).thread != event(p).thread) continue;
        scope.last = q;
        scope.is_left = ends_section(event(q).kind) && event(q).lock() == scope.lock;
      }
      scopes_.push_back(scope);
    }
  }
  bool exclude(const LockedScope& a, const LockedScope& b) const {
    return event(a.first).thread != event(b.first).thread && a.lock == b.lock &&
           !(a.shared && b.shared);
  }

  // Adds induced edges until nothing changes; false if there is a cycle.
  bool induce() {
    for (const LockedScope& a : scopes_) {
      for (const LockedScope& b : scopes_) {
        if (b.is_left || !exclude(a, b)) continue;
        if (!a.is_left) return false;
        edges_[a.last][b.first] = true;
      }
    }
    for (bool changed = true; changed;) {
      changed = false;
      const Matrix paths = closure(edges_);
      if (has_cycle(paths)) return false;
      for (const LockedScope& a : scopes_) {
        for (const LockedScope& b : scopes_) {
          if (!exclude(a, b) || !paths[a.first][b.last] || edges_[a.last][b.first]) continue;
          edges_[a.last][b.first] = changed = true;
        }
      }
    }
    return true;
  }

  bool are_unordered(const Matrix& paths, const LockedScope& a, const LockedScope& b) const {
    return exclude(a, b) && !paths[a.first][b.last] && !paths[b.first][a.last];
  }

  // The lock abstraction graph: events of a scope reach each other, unordered scopes too.
  std::vector<std::pair<Edge, Edge>> choices_of(const std::vector<Edge>& order) const {
    const Matrix paths = closure(edges_);
    Matrix abstract = edges_;
    for (const LockedScope& s : scopes_) {
      for (size_t p = s.first; p <= s.last; ++p) {
        for (size_t q = s.first; q <= s.last; ++q) {
          const bool both =
              event(p).thread == event(s.first).thread && event(q).thread == event(s.first).thread;
          if (both && present_[p] && present_[q]) abstract[p][q] = true;
        }
      }
    }
    for (const LockedScope& a : scopes_) {
      for (const LockedScope& b : scopes_) {
        if (are_unordered(paths, a, b)) abstract[a.first][b.first] = true;
      }
    }
    for (size_t p = 0; p < n_; ++p) abstract[p][p] = true;
    const Matrix reach = closure(abstract);
    std::set<std::pair<Edge, Edge>> found;
    for (const auto& [y, x] : order) {
      for (const LockedScope& a : scopes_) {
        for (const LockedScope& b : scopes_) {
          if (!are_unordered(paths, a, b) || !reach[x][a.first] || !reach[b.first][y]) continue;
          const bool a_first = a.first < b.first;
          const LockedScope &first = a_first ? a : b, &second = a_first ? b : a;
          found.insert({{first.last, second.first}, {second.last, first.first}});
        }
      }
    }
    return {found.begin(), found.end()};
  }

  const trace::Trace& trace_;
  size_t n_;
  std::vector<bool> present_;
  Matrix edges_;
  std::vector<LockedScope> scopes_;
};

}  // namespace foretell::oracle
