// SPDX-License-Identifier: Apache-2.0

// Rule (a) of causally-precedes, in one pass and without clocks.
//
// "<CP has a release-acquire edge between critical sections over the same lock that contain
// clashing events" (PREDICT, definition 5). What clashes is said in analysis/race/held_sections.h.
// A section that the trace leaves open ends with the trace.
#pragma once

#include "analysis/race/causally_precedes/cp_edges.h"
#include "analysis/race/held_sections.h"

namespace foretell::analysis {

class SectionClashes {
 public:
  explicit SectionClashes(CpEdges& edges) : add_edge_{edges} {}

  void on_event(const trace::Event& e) {
    if (e.kind <= trace::EventKind::Write) {
      held_.on_access(e, add_edge_);
    } else {
      other(e);
    }
  }

 private:
  struct AddEdge {
    CpEdges& edges;
    void operator()(const HeldSections<SectionNumber>::Held& held, SectionNumber from,
                    bool from_shared) const {
      if (from_shared) {
        edges.add_reader(held.lock, from, held.section);
      } else {
        edges.add_exclusive(held.lock, from, held.section);
      }
    }
  };

  void other(const trace::Event& e);
  void open(const trace::Event& e, bool shared) {
    held_.open(e.thread, e.lock(), ++sections_[e.lock()], shared);
  }

  const AddEdge add_edge_;
  HeldSections<SectionNumber> held_;
  DenseTable<SectionNumber, LockId> sections_;  // begun so far
};

}  // namespace foretell::analysis
