// SPDX-License-Identifier: Apache-2.0

#include "report/explain_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/deadlock_text.h"
#include "report/property_text.h"
#include "report/seen_values.h"
#include "report/summary.h"

namespace foretell::report {
namespace {

const finding::HeldLock* held_as(const finding::DescribedEvent& e, const std::string& name) {
  const auto it = std::ranges::find(e.locks, name, &finding::HeldLock::name);
  return it == e.locks.end() ? nullptr : &*it;
}

// What the thread of `other` has to do with the wait of `e`; empty if nothing is known.
std::string keeps_waiting(const finding::DescribedEvent& e, const finding::DescribedEvent& other) {
  if (const finding::HeldLock* held = held_as(other, e.object); held && waits_for_lock(e)) {
    return fmt::format(", which {} holds{}", other.thread,
                       held->site.empty() ? "" : " since " + held->site);
  }
  if (e.operation == trace::EventKind::Join && e.object == other.thread) {
    return fmt::format(", which stands at {}", at(other));
  }
  if (e.operation == trace::EventKind::WaitEnd) {
    // After its notify a wait still needs its lock.
    return fmt::format(", which {} gives after {}, or for the lock it holds", other.thread,
                       at(other));
  }
  if (waits_for_lock(e)) return "";
  return fmt::format(", for which {} first has to get past {}", other.thread, at(other));
}

std::string waits_section(const finding::Finding& f, const finding::DeadlockFinding& deadlock) {
  std::string text = "\nWho waits for whom\n";
  for (size_t i = 0; i < f.events.size(); ++i) {
    const finding::DescribedEvent& e = f.events[i];
    text += fmt::format("  {} {} and waits for {}", thread_text(e), locks_text(e), awaited_text(e));
    if (deadlock.is_cycle) text += keeps_waiting(e, f.events[(i + 1) % f.events.size()]);
    text += ".\n";
  }
  if (f.events.size() == 1) {
    text += "  The notify comes before the wait, and no thread is left to notify again.\n";
  } else if (deadlock.is_cycle) {
    text += "  Each waits for the next one, the last for the first: none of them can continue.\n";
  }
  return text;
}

std::string locks_section(const finding::Finding& f) {
  std::string text = "\nLocks\n";
  for (const finding::DescribedEvent& e : f.events) {
    text += fmt::format("  {} {} at {}.\n", thread_text(e), locks_text(e), at(e));
  }
  const finding::DescribedEvent &first = f.events.front(), &last = f.events.back();
  if (waits_for_lock(first) && waits_for_lock(last) && first.object == last.object) {
    return text + fmt::format(
                      "  The block takes '{}' at both of its events: between the two "
                      "anybody may have it.\n",
                      first.object);
  }
  bool any = false;
  for (const finding::HeldLock& lock : first.locks) {
    const finding::HeldLock* again = held_as(last, lock.name);
    if (!again) continue;
    any = true;
    const bool throughout = !lock.site.empty() && lock.site == again->site;
    text += throughout ? fmt::format("  The block has '{}' at both of its events.\n", lock.name)
                       : fmt::format(
                             "  The block has '{}' at both of its events, but may give it back "
                             "between them.\n",
                             lock.name);
  }
  if (!any) text += "  The block has no lock at both of its events.\n";
  return text;
}

std::string block_section(const finding::AtomicityFinding& violation) {
  std::string text = "\nThe block\n";
  for (const std::string& block : violation.blocks) {
    text +=
        fmt::format("  '{}' is to be atomic, and contains the first and the last event.\n", block);
  }
  if (violation.pattern != finding::AtomicityPattern::none) {
    text += fmt::format(
        "  The pattern is {} (docs/atomicity.md): no order in which the block runs "
        "alone explains it.\n",
        word_of(violation.pattern));
  }
  return text;
}

std::string values_section(const finding::Finding& f) {
  const SeenValues values(f);
  std::string text = "\nWhat the read can return\n";
  auto put = [&](const char* when, const std::string& value, const std::string& writer) {
    text +=
        fmt::format("  {} {}, written by {}\n", when, value.empty() ? "a value" : value, writer);
  };
  put("in the recorded run", values.recorded, values.recorded_writer);
  put("in the witness     ", values.other, values.other_writer);
  text += "\nLocks\n";
  for (const finding::DescribedEvent& e : f.events) {
    text += fmt::format("  {} {} at {}.\n", thread_text(e), locks_text(e), at(e));
  }
  return text;
}

// What each kind has to say, in the order of the explanation.

std::string circumstances(const finding::Finding&, const finding::RaceFinding&) {
  return "";
}
std::string_view unwatched(const finding::RaceFinding&) {
  return "It has the events in this order.";
}
std::string_view assumption(const finding::Finding&, const finding::RaceFinding&) {
  return "";
}
std::string_view ruled_out(const finding::Finding&, const finding::RaceFinding&) {
  return "Any lock held at both accesses, or a start, join or other synchronization between "
         "them in every schedule.";
}

std::string circumstances(const finding::Finding& f, const finding::DeadlockFinding& deadlock) {
  return waits_section(f, deadlock);
}
std::string_view unwatched(const finding::DeadlockFinding&) {
  return "The wait began before the notify, so that it was served; nothing required that order.";
}
std::string_view assumption(const finding::Finding& f, const finding::DeadlockFinding&) {
  auto waits_for_more = [](const finding::DescribedEvent& e) {
    return !waits_for_lock(e) && e.operation != trace::EventKind::Join;
  };
  if (!std::ranges::any_of(f.events, waits_for_more)) return "";
  return "The other threads do after the witness what they did in the recorded run.";
}
std::string_view ruled_out(const finding::Finding& f, const finding::DeadlockFinding&) {
  if (f.events.size() == 1) {
    return "A state that the wait tests and the notifier changes under the same lock, or a "
           "notify that comes\n  after the wait in every schedule.";
  }
  return "One order in which all threads take these locks, a further lock around all of them, "
         "a try or a time limit\n  instead of one of the waits, or a synchronization that keeps "
         "one thread out until another is through.";
}

std::string circumstances(const finding::Finding& f, const finding::AtomicityFinding& violation) {
  return block_section(violation) + locks_section(f);
}
std::string_view unwatched(const finding::AtomicityFinding&) {
  return "It has the events in this very order: the block was violated while it was recorded.";
}
std::string_view assumption(const finding::Finding& f, const finding::AtomicityFinding&) {
  if (!std::ranges::any_of(f.events, waits_for_lock)) return "";
  return "That the other thread's section ends, once begun, is assumed.";
}
std::string_view ruled_out(const finding::Finding&, const finding::AtomicityFinding&) {
  return "A lock that the block holds from its first event to its last and the other thread "
         "takes, or a synchronization\n  that keeps the other thread out for as long.";
}

std::string circumstances(const finding::Finding& f, const finding::NondeterminismFinding&) {
  return values_section(f);
}
std::string_view unwatched(const finding::NondeterminismFinding&) {
  return "The read returned a write; in the witness it comes before all of them.";
}
std::string_view assumption(const finding::Finding&, const finding::NondeterminismFinding&) {
  return "";
}
std::string_view ruled_out(const finding::Finding&, const finding::NondeterminismFinding&) {
  return "A synchronization that puts the two writes, or the read and the other write, into one "
         "order in every schedule;\n  a lock alone does not.";
}

std::string circumstances(const finding::Finding& f, const finding::MisuseFinding&) {
  const finding::DescribedEvent& e = f.events.front();
  return fmt::format("\nLocks\n  {} {} at {}.\n", thread_text(e), locks_text(e), at(e));
}
std::string_view unwatched(const finding::MisuseFinding&) {
  return "It happened in the recorded run.";
}
std::string_view assumption(const finding::Finding&, const finding::MisuseFinding&) {
  return "";
}
std::string_view ruled_out(const finding::Finding&, const finding::MisuseFinding&) {
  return "Nothing: the program did it.";
}

std::string circumstances(const finding::Finding&, const finding::PropertyFinding& property) {
  std::string text =
      fmt::format("\nThe property\n  '{}' at {}{}{}\n  {}\n", property.name, property.place,
                  property.about.empty() ? "" : ": ", property.about, property.formula);
  if (!property.binding.empty()) text += fmt::format("  Here for {}.\n", property.binding);
  text += property_steps(property);
  if (property.no_run) {
    text += "  Some run had to satisfy it. None of the runs that this one could have been does.\n";
  } else if (property.recorded) {
    text += "  The recorded run violates it.\n";
  } else {
    text += "  The recorded run satisfies it.\n";
  }
  return text;
}
std::string_view unwatched(const finding::PropertyFinding&) {
  return "Whether it violates the property is said above.";
}
std::string_view assumption(const finding::Finding&, const finding::PropertyFinding&) {
  return "";
}
std::string_view ruled_out(const finding::Finding&, const finding::PropertyFinding&) {
  return "A synchronization that forbids this order.";
}

}  // namespace

std::string at(const finding::DescribedEvent& e) {
  return e.site.empty() ? fmt::format("event {}", to_index(e.index)) : e.site;
}

std::string locks_text(const finding::DescribedEvent& e) {
  if (e.locks.empty()) return "holds no lock";
  std::string text;
  for (const finding::HeldLock& lock : e.locks) {
    text += fmt::format("{}'{}'{}", text.empty() ? "holds " : ", ", lock.name,
                        lock.shared ? " (shared)" : "");
    if (!lock.site.empty()) text += fmt::format(" since {}", lock.site);
  }
  return text;
}

std::string circumstances_text(const finding::Finding& finding) {
  return std::visit([&](const auto& details) { return circumstances(finding, details); },
                    finding.details);
}

std::string unwatched_text(const finding::Finding& finding) {
  return std::string(
      std::visit([](const auto& details) { return unwatched(details); }, finding.details));
}

std::string assumption_text(const finding::Finding& finding) {
  if (!finding.witness) return "";
  return std::string(std::visit([&](const auto& details) { return assumption(finding, details); },
                                finding.details));
}

std::string ruled_out_text(const finding::Finding& finding) {
  return std::string(std::visit([&](const auto& details) { return ruled_out(finding, details); },
                                finding.details));
}

}  // namespace foretell::report
