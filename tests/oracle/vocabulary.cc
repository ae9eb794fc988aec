// SPDX-License-Identifier: Apache-2.0

#include "vocabulary.h"

namespace foretell::oracle {
namespace {

uint32_t intern_location(TraceTables& tables, uint32_t id) {
  const NamedLocation& named = kLocations[id];
  if (named.size == 0) return static_cast<uint32_t>(tables.intern_variable(named.space));
  return static_cast<uint32_t>(
      tables.locations.intern({tables.strings.intern(named.space), named.offset, named.size}));
}

template <class Table, class Names>
uint32_t intern(Table& table, const Names& names, uint32_t id) {
  return static_cast<uint32_t>(table.intern(names[id]));
}

uint32_t intern_object(TraceTables& tables, const Event& e) {
  switch (operands_of(e.kind)) {
    case Operands::None:
    case Operands::Order:
    case Operands::Branch:
      return 0;
    case Operands::Access:
    case Operands::Atomic:
    case Operands::AtomicRmw:
    case Operands::Alloc:
    case Operands::Free:
      return intern_location(tables, e.object);
    case Operands::Lock:
      return intern(tables.locks, kLocks, e.object);
    case Operands::Thread:
      return intern(tables.threads, kThreads, e.object);
    case Operands::Label:
      return intern(tables.labels, kLabels, e.object);
    case Operands::Wait:
    case Operands::Wake:
    case Operands::Notify:
      return intern(tables.conditions, kConditions, e.object);
    case Operands::Barrier:
      return intern(tables.barriers, kBarriers, e.object);
    case Operands::Post:
    case Operands::Down:
      return intern(tables.semaphores, kSemaphores, e.object);
    case Operands::Function:
      return intern(tables.functions, kFunctions, e.object);
    case Operands::User:
      return intern(tables.user_events, kUserEvents, e.object);
  }
  return 0;
}

}  // namespace

Trace to_trace(const Events& events) {
  Trace trace;
  TraceTables& tables = trace.tables;
  for (Event e : events) {
    e.thread = ThreadId{intern(tables.threads, kThreads, static_cast<uint32_t>(e.thread))};
    e.object = intern_object(tables, e);
    const auto extra = static_cast<uint32_t>(e.extra);
    if (e.kind == EventKind::WaitBegin || e.kind == EventKind::WaitEnd) {
      e.extra = intern(tables.locks, kLocks, extra);
    }
    if (e.kind == EventKind::User) e.extra = intern(tables.strings, kArguments, extra);
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
