// SPDX-License-Identifier: Apache-2.0

#include "report/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "report/deadlock_text.h"
#include "report/fingerprint.h"

namespace foretell::report {
namespace {

std::string_view adverb_of(trace::EventKind kind) {
  return is_atomic_access(kind) ? "atomically " : "";
}

std::string headline(const finding::Finding& f, const finding::RaceFinding&) {
  return fmt::format("data race on '{}'", object_of(f));
}
std::string headline(const finding::Finding& f, const finding::MemoryFinding&) {
  const bool both = std::ranges::all_of(f.events, [](const finding::DescribedEvent& e) {
    return e.operation == trace::EventKind::Free;
  });
  if (std::ranges::any_of(f.events, is_destruction)) {
    return fmt::format("destruction of '{}' while it is used", f.name());
  }
  if (f.name().starts_with("descriptor ")) {
    return fmt::format("{} is closed while it is used", f.name());
  }
  return fmt::format("{} of '{}'", both ? "double free" : "use after free", object_of(f));
}
std::string headline(const finding::Finding& f, const finding::DeadlockFinding& deadlock) {
  const size_t count = f.events.size();
  if (deadlock.is_cycle) {
    return fmt::format("deadlock of {} thread{}", count, count == 1 ? "" : "s");
  }
  return is_lost_notify(f) ? "deadlock: lost notification, the notify comes before the wait"
                           : "deadlock: no thread can continue";
}
std::string headline(const finding::Finding& f, const finding::AtomicityFinding& violation) {
  if (violation.pattern != finding::AtomicityPattern::cycle) {
    return fmt::format("block '{}' is not atomic", f.name());
  }
  return fmt::format("blocks '{}' are not atomic together", fmt::join(violation.blocks, "', '"));
}
std::string headline(const finding::Finding& f, const finding::NondeterminismFinding&) {
  return fmt::format("the value of '{}' depends on the schedule", object_of(f));
}
std::string headline(const finding::Finding&, const finding::PropertyFinding& property) {
  return fmt::format("property '{}' is violated{}{}", property.name,
                     property.binding.empty() ? "" : ": ", property.binding);
}

std::string headline(const finding::Finding&, const finding::MisuseFinding& misuse) {
  const std::string& what = misuse.object;
  switch (misuse.how) {
    case trace::Misuse::unlock_of_other:
      return fmt::format("unlock of '{}', which {} has locked", what, misuse.other);
    case trace::Misuse::unlock_of_free:
      return fmt::format("unlock of '{}', which nobody has locked", what);
    case trace::Misuse::destroy_locked:
      return fmt::format("destruction of '{}', which {} has locked", what, misuse.other);
    case trace::Misuse::destroy_awaited:
      return fmt::format("destruction of '{}' while threads wait for it", what);
    case trace::Misuse::relock:
      return fmt::format("lock of '{}', which the thread itself has locked", what);
    case trace::Misuse::wait_unlocked:
      return fmt::format("wait with '{}', which {} locked", what,
                         misuse.other.empty() ? "is not" : misuse.other + " has");
    case trace::Misuse::wait_with_other:
      return fmt::format("wait on '{}' with another mutex than other threads", what);
  }
  return "";
}

}  // namespace

bool is_destruction(const finding::DescribedEvent& e) {
  return e.operation.kind() && trace::is_destruction(*e.operation.kind());
}

bool is_descriptor(const finding::DescribedEvent& e) {
  return e.operation.is_access() && e.object.starts_with("descriptor ");
}

std::string participle(const finding::DescribedEvent& e) {
  const auto kind = e.operation.kind();
  // What uses an object that another thread destroys.
  if (kind == trace::EventKind::Request || kind == trace::EventKind::RequestShared) {
    return "requested";
  }
  if (kind == trace::EventKind::NotifyOne || kind == trace::EventKind::NotifyAll) return "notified";
  if (kind == trace::EventKind::BarrierEnter) return "reached";
  if (kind == trace::EventKind::SemaphorePost) return "posted to";
  if (kind == trace::EventKind::SemaphoreWait) return "taken";
  if (is_descriptor(e)) return e.operation == trace::EventKind::Free ? "closed" : "used";
  if (!kind || participle_of(*kind).empty()) return std::string(word_of(e.operation));
  return fmt::format("{}{}", adverb_of(*kind), participle_of(*kind));
}

std::string thread_text(const finding::DescribedEvent& event) {
  return event.thread_name.empty() ? event.thread
                                   : fmt::format("{} '{}'", event.thread, event.thread_name);
}

std::string holding_text(const finding::DescribedEvent& event) {
  if (event.locks.empty()) return "holding no lock";
  std::string text = "holding ";
  for (const finding::HeldLock& lock : event.locks) {
    text += fmt::format("{}'{}'{}", &lock == &event.locks.front() ? "" : ", ", lock.name,
                        lock.shared ? " (shared)" : "");
  }
  return text;
}

std::string callers_text(const finding::DescribedEvent& event, size_t most) {
  std::string text;
  size_t count = 0;
  for (size_t i = 1; i < event.stack.size(); ++i) {
    const finding::StackFrame& frame = event.stack[i];
    if (frame.site.empty() || frame.site.starts_with("/usr/")) continue;
    if (count++ == most) return text + ", ...";
    text += fmt::format("{}{} at {}", text.empty() ? "" : ", ",
                        frame.function.empty() ? "?" : frame.function, frame.site);
  }
  return text;
}

std::string object_of(const finding::Finding& finding) {
  for (const finding::DescribedEvent& e : finding.events) {
    if (!e.expression.empty()) return e.expression;
  }
  return finding.name();
}

bool is_run_of_many(const finding::SeenIn& seen) {
  return seen.test.starts_with("run ") && !seen.run.empty();
}

std::string tests_text(const finding::Finding& finding) {
  constexpr size_t kMostShown = 3;
  std::string names;
  for (size_t i = 0; i < std::min(finding.seen_in.size(), kMostShown); ++i) {
    names += (i > 0 ? ", " : "") + finding.seen_in[i].name();
  }
  if (finding.seen_in.size() > kMostShown) {
    names += fmt::format(" and {} more", finding.seen_in.size() - kMostShown);
  }
  return names;
}

std::string headline_of(const finding::Finding& finding) {
  return std::visit([&](const auto& details) { return headline(finding, details); },
                    finding.details);
}

std::string summary_of(const finding::Finding& finding) {
  std::set<std::string> functions;
  for (const finding::DescribedEvent& e : finding.events) {
    if (!e.function.empty()) functions.insert(without_positions(e.function));
  }
  std::string text = headline_of(finding);
  for (const std::string& function : functions) {
    text += (function == *functions.begin() ? " in " : ", ") + function;
  }
  return text;
}

std::string doing_text(const finding::Finding& finding, const finding::DescribedEvent& event) {
  // What its threads did before is told like anything else.
  const bool is_stuck = finding.as<finding::DeadlockFinding>() != nullptr &&
                        std::ranges::any_of(finding.events, [&](const auto& other) {
                          return other.index == event.index;
                        });
  if (is_stuck) {
    return fmt::format("{} waits for {}", thread_text(event), awaited_text(event));
  }
  const auto kind = event.operation.kind();
  if (!kind || !is_access(*kind)) {
    return fmt::format("{}: {}", thread_text(event), step_text(event));
  }
  return fmt::format("{} {}{} '{}'", thread_text(event), adverb_of(*kind), verb_of(*kind),
                     event.expression.empty() ? event.object : event.expression);
}

std::string event_sentence(const finding::Finding& finding, const finding::DescribedEvent& event) {
  const std::string doing = doing_text(finding, event);
  const bool has_locks =
      finding.as<finding::DeadlockFinding>() != nullptr || event.operation.is_access();
  return has_locks ? fmt::format("{}, {}", doing, holding_text(event)) : doing;
}

std::string step_text(const finding::DescribedEvent& step) {
  const auto kind = step.operation.kind();
  if (is_descriptor(step)) {
    return fmt::format("{} {}", step.operation == trace::EventKind::Free ? "close" : "use",
                       step.object);
  }
  std::string text(kind ? action_of(*kind) : word_of(step.operation));
  const bool by_expression = step.operation.is_access() && !step.expression.empty();
  const std::string& object = by_expression ? step.expression : step.object;
  return object.empty() ? text : text + ' ' + object;
}

}  // namespace foretell::report
