// SPDX-License-Identifier: Apache-2.0

#include "pipeline/describer.h"

#include <algorithm>

namespace foretell::pipeline {

std::vector<EventDescriber::Held>& EventDescriber::held_by(ThreadId thread) {
  if (to_index(thread) >= held_.size()) held_.resize(to_index(thread) + 1);
  return held_[to_index(thread)];
}

void EventDescriber::on_events(std::span<const trace::Event> batch) {
  for (const trace::Event& e : batch) {
    if (auto it = described_.find(e.index); it != described_.end()) describe(e, it->second);
    switch (e.kind) {
      case trace::EventKind::Acquire:
      case trace::EventKind::WaitEnd:
        held_by(e.thread).push_back({e.lock(), false, e.site});
        break;
      case trace::EventKind::AcquireShared:
        held_by(e.thread).push_back({e.lock(), true, e.site});
        break;
      case trace::EventKind::Release:
      case trace::EventKind::ReleaseShared:
      case trace::EventKind::WaitBegin:
        std::erase_if(held_by(e.thread), [&](const Held& held) { return held.lock == e.lock(); });
        break;
      default:
        break;
    }
  }
}

void EventDescriber::describe(const trace::Event& e, finding::DescribedEvent& out) {
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

std::string EventDescriber::object_of(const trace::Event& e) const {
  switch (operands_of(e.kind)) {
    case trace::Operands::None:
    case trace::Operands::Order:
    case trace::Operands::Branch:
      return "";
    case trace::Operands::Access:
    case trace::Operands::Atomic:
    case trace::Operands::AtomicRmw:
    case trace::Operands::Free:
      return location_name_(e.location());
    case trace::Operands::Alloc:
      return tables_.location_name(e.location());
    case trace::Operands::Lock:
      return std::string(tables_.locks[e.lock()]);
    case trace::Operands::Thread:
      return std::string(tables_.threads[e.other_thread()]);
    case trace::Operands::Label:
      return std::string(tables_.labels[e.label()]);
    case trace::Operands::Wait:
    case trace::Operands::Wake:
    case trace::Operands::Notify:
      return std::string(tables_.conditions[e.condition()]);
    case trace::Operands::Barrier:
      return std::string(tables_.barriers[e.barrier()]);
    case trace::Operands::Post:
    case trace::Operands::Down:
      return std::string(tables_.semaphores[e.semaphore()]);
    case trace::Operands::Function:
      return std::string(tables_.functions[e.function()]);
    case trace::Operands::User:
      return std::string(tables_.user_events[e.user_event()]);
  }
  return "";
}

}  // namespace foretell::pipeline
