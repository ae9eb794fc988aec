// SPDX-License-Identifier: Apache-2.0

#include "vocabulary.h"

namespace foretell::oracle {
namespace {

uint32_t intern_location(trace::TraceTables& tables, uint32_t id) {
  const NamedLocation& named = kLocations[id];
  if (named.size == 0) return static_cast<uint32_t>(tables.intern_variable(named.space));
  return static_cast<uint32_t>(
      tables.locations.intern({tables.strings.intern(named.space), named.offset, named.size}));
}

template <class Table, class Names>
uint32_t intern(Table& table, const Names& names, uint32_t id) {
  return static_cast<uint32_t>(table.intern(names[id]));
}

uint32_t intern_object(trace::TraceTables& tables, const trace::Event& e) {
  switch (operands_of(e.kind)) {
    case trace::Operands::None:
    case trace::Operands::Order:
    case trace::Operands::Branch:
      return 0;
    case trace::Operands::Access:
    case trace::Operands::Atomic:
    case trace::Operands::AtomicRmw:
    case trace::Operands::Alloc:
    case trace::Operands::Free:
      return intern_location(tables, e.object);
    case trace::Operands::Lock:
      return intern(tables.locks, kLocks, e.object);
    case trace::Operands::Thread:
      return intern(tables.threads, kThreads, e.object);
    case trace::Operands::Label:
      return intern(tables.labels, kLabels, e.object);
    case trace::Operands::Wait:
    case trace::Operands::Wake:
    case trace::Operands::Notify:
      return intern(tables.conditions, kConditions, e.object);
    case trace::Operands::Barrier:
      return intern(tables.barriers, kBarriers, e.object);
    case trace::Operands::Post:
    case trace::Operands::Down:
      return intern(tables.semaphores, kSemaphores, e.object);
    case trace::Operands::Function:
      return intern(tables.functions, kFunctions, e.object);
    case trace::Operands::User:
      return intern(tables.user_events, kUserEvents, e.object);
  }
  return 0;
}

}  // namespace

trace::Trace to_trace(const Events& events) {
  trace::Trace trace;
  trace::TraceTables& tables = trace.tables;
  for (trace::Event e : events) {
    e.thread = ThreadId{intern(tables.threads, kThreads, static_cast<uint32_t>(e.thread))};
    e.object = intern_object(tables, e);
    const auto extra = static_cast<uint32_t>(e.extra);
    if (e.kind == trace::EventKind::WaitBegin || e.kind == trace::EventKind::WaitEnd) {
      e.extra = intern(tables.locks, kLocks, extra);
    }
    if (e.kind == trace::EventKind::User) e.extra = intern(tables.strings, kArguments, extra);
    if (e.site != kNoSite) {
      const auto site = static_cast<uint32_t>(e.site);
      e.site = tables.intern_site(kFiles[site % kFiles.size()], site + 1);
    }
    e.index = EventIndex{trace.events.size()};
    trace.events.push_back(e);
  }
  return trace;
}

}  // namespace foretell::oracle
