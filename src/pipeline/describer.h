// SPDX-License-Identifier: Apache-2.0

// EventDescriber: walks a trace and writes down, for a few chosen events, what a person wants to
// know of them: names and the locks held at that moment.
//
// Analyses keep only indices of events, so this runs as a second pass, and only when there is
// something to report.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "finding/result.h"
#include "trace/tables.h"

namespace foretell::pipeline {

class EventDescriber {
 public:
  using LocationName = std::function<std::string(LocationId)>;

  EventDescriber(const trace::TraceTables& tables, LocationName location_name)
      : tables_(tables), location_name_(std::move(location_name)) {}

  void want(EventIndex index) { described_.try_emplace(index); }
  void on_events(std::span<const trace::Event> batch);

  const finding::DescribedEvent& operator[](EventIndex index) const { return described_.at(index); }

 private:
  struct Held {
    LockId lock;
    bool shared;
    SiteId site;
  };
  std::vector<Held>& held_by(ThreadId thread);
  void describe(const trace::Event& e, finding::DescribedEvent& out);
  std::string object_of(const trace::Event& e) const;

  const trace::TraceTables& tables_;
  LocationName location_name_;
  absl::flat_hash_map<EventIndex, finding::DescribedEvent> described_;
  std::vector<std::vector<Held>> held_;  // by thread
};

}  // namespace foretell::pipeline
