// SPDX-License-Identifier: Apache-2.0

#include "pipeline/describer.h"

#include <algorithm>

namespace foretell {

std::vector<EventDescriber::Held>& EventDescriber::held_by(ThreadId thread) {
  if (to_index(thread) >= held_.size()) held_.resize(to_index(thread) + 1);
  return held_[to_index(thread)];
}

void EventDescriber::on_events(std::span<const Event> batch) {
  for (const Event& e : batch) {
    if (auto it = described_.find(e.index); it != described_.end()) describe(e, it->second);
    switch (e.kind) {
      case EventKind::Acquire:
      case EventKind::WaitEnd:
        held_by(e.thread).push_back({e.lock(), false, e.site});
        break;
      case EventKind::AcquireShared:
        held_by(e.thread).push_back({e.lock(), true, e.site});
        break;
      case EventKind::Release:
      case EventKind::ReleaseShared:
      case EventKind::WaitBegin:
        std::erase_if(held_by(e.thread), [&](const Held& held) { return held.lock == e.lock(); });
        break;
      default:
        break;
    }
  }
}

void EventDescriber::describe(const Event& e, DescribedEvent& out) {
  if (out.index == e.index) return;  // the first piece of a split access stands for all
  out.index = e.index;
  out.thread = tables_.threads[e.thread];
  out.thread_name = tables_.facts.title_of(out.thread);
  out.operation = e.kind;
  out.object = object_of(e);
  out.site = tables_.site_name(e.site);
  if (e.site != kNoSite) {
    out.function = tables_.strings[tables_.sites[e.site].function];
    out.expression = tables_.strings[tables_.sites[e.site].expression];
  }
  for (const Held& held : held_by(e.thread)) {
    out.locks.push_back(
        {std::string(tables_.locks[held.lock]), held.shared, tables_.site_name(held.site)});
  }
  if (is_access(e.kind) && e.has_value()) out.value = e.value;
}

std::string EventDescriber::object_of(const Event& e) const {
  switch (operands_of(e.kind)) {
    case Operands::None:
    case Operands::Order:
    case Operands::Branch:
      return "";
    case Operands::Access:
    case Operands::Atomic:
    case Operands::AtomicRmw:
    case Operands::Free:
      return location_name_(e.location());
    case Operands::Alloc:
      return tables_.location_name(e.location());
    case Operands::Lock:
      return std::string(tables_.locks[e.lock()]);
    case Operands::Thread:
      return std::string(tables_.threads[e.other_thread()]);
    case Operands::Label:
      return std::string(tables_.labels[e.label()]);
    case Operands::Wait:
    case Operands::Wake:
    case Operands::Notify:
      return std::string(tables_.conditions[e.condition()]);
    case Operands::Barrier:
      return std::string(tables_.barriers[e.barrier()]);
    case Operands::Post:
    case Operands::Down:
      return std::string(tables_.semaphores[e.semaphore()]);
    case Operands::Function:
      return std::string(tables_.functions[e.function()]);
    case Operands::User:
      return std::string(tables_.user_events[e.user_event()]);
  }
  return "";
}

}  // namespace foretell
