// SPDX-License-Identifier: Apache-2.0

#include "replay/smallest_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace foretell::replay {
namespace {

// Names in Tiddle end at white space and some signs.
std::string tiddle_name(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    out += plain ? c : '_';
  }
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) != 0) out.insert(0, "v");
  return out;
}

std::string at(const std::string& site) {
  return site.empty() || site.find(' ') != std::string::npos ? "" : " @" + site;
}

bool is_shared(const finding::DescribedEvent& e) {
  return e.operation == trace::EventKind::AcquireShared ||
         e.operation == trace::EventKind::RequestShared;
}

bool takes_lock(const finding::DescribedEvent& e) {
  return e.operation == trace::EventKind::Acquire || e.operation == trace::EventKind::Request ||
         is_shared(e);
}

class Run {
 public:
  template <class... Words>
  void put(fmt::format_string<Words...> form, Words&&... words) {
    text_ += fmt::format(form, std::forward<Words>(words)...) + '\n';
  }

  void take_locks(const finding::DescribedEvent& e) {
    for (const finding::HeldLock& lock : e.locks) {
      put("{} {} {}{}", lock.shared ? "sacq" : "acq", e.thread, tiddle_name(lock.name),
          at(lock.site));
    }
  }
  void give_locks_back(const finding::DescribedEvent& e) {
    for (auto lock = e.locks.rbegin(); lock != e.locks.rend(); ++lock) {
      put("{} {} {}", lock->shared ? "srel" : "rel", e.thread, tiddle_name(lock->name));
    }
  }

  void access(const finding::DescribedEvent& e, const std::string& variable) {
    put("{} {} {}{}", word_of(e.operation), e.thread, variable, at(e.site));
  }
  // With the locks around it; one that takes a lock gives it back at once.
  void whole(const finding::DescribedEvent& e, const std::string& variable) {
    take_locks(e);
    if (takes_lock(e)) {
      put("{} {} {}{}", is_shared(e) ? "sacq" : "acq", e.thread, variable, at(e.site));
      put("{} {} {}", is_shared(e) ? "srel" : "rel", e.thread, variable);
    } else {
      access(e, variable);
    }
    give_locks_back(e);
  }

  // Variables are named as the source writes them; two that it writes alike are told apart.
  std::string variable(const std::string& object, const finding::DescribedEvent& e) {
    const auto [entry, is_new] = variables_.try_emplace(object);
    if (!is_new) return entry->second;
    const std::string name = tiddle_name(e.expression.empty() ? object : e.expression);
    entry->second = name;
    for (int i = 2; !taken_.insert(entry->second).second; ++i) {
      entry->second = fmt::format("{}_{}", name, i);
    }
    return entry->second;
  }
  std::string object(const finding::DescribedEvent& e) {
    return takes_lock(e) ? tiddle_name(e.object) : variable(e.object, e);
  }

  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::map<std::string, std::string> variables_;  // by object
  std::set<std::string> taken_;
};

// The accesses under their locks.
std::string run_of_accesses(const finding::Finding& finding) {
  Run run;
  const std::string variable = run.variable(finding.name(), finding.events[0]);
  const bool frees = std::ranges::any_of(finding.events, [](const finding::DescribedEvent& e) {
    return e.operation == trace::EventKind::Free;
  });
  if (frees) run.put("alloc {} {} 8", finding.events[0].thread, variable);
  for (const finding::DescribedEvent& e : finding.events) run.take_locks(e);
  for (const finding::DescribedEvent& e : finding.events) run.access(e, variable);
  for (const finding::DescribedEvent& e : finding.events) run.give_locks_back(e);
  return run.take();
}

std::optional<std::string> run_of_lost_notify(const finding::Finding& finding) {
  const finding::DescribedEvent& wake = finding.events[0];
  if (!finding.witness) return {};
  const auto notify =
      std::ranges::find_if(finding.witness->last_steps, [&](const finding::DescribedEvent& e) {
        const bool notifies = e.operation == trace::EventKind::NotifyOne ||
                              e.operation == trace::EventKind::NotifyAll;
        return notifies && e.object == wake.object;
      });
  if (notify == finding.witness->last_steps.end() || notify->thread == wake.thread) return {};
  Run run;
  const std::string condition = tiddle_name(wake.object);
  const std::string lock = condition + "_lock";  // which one it was is not in the finding
  run.put("acq {} {}", wake.thread, lock);
  run.put("wait {} {} {}{}", wake.thread, condition, lock, at(wake.site));
  run.put("{} {} {}{}", word_of(notify->operation), notify->thread, condition, at(notify->site));
  run.put("wake {} {} {}", wake.thread, condition, lock);
  run.put("rel {} {}", wake.thread, lock);
  return run.take();
}

std::optional<std::string> run_of(const finding::Finding& finding, const finding::RaceFinding&) {
  return run_of_accesses(finding);
}

std::optional<std::string> run_of(const finding::Finding& finding,
                                  const finding::DeadlockFinding&) {
  if (finding.events.size() == 1 && finding.events[0].operation == trace::EventKind::WaitEnd) {
    return run_of_lost_notify(finding);
  }
  if (!std::ranges::all_of(finding.events, takes_lock)) return {};
  Run run;
  for (const finding::DescribedEvent& e : finding.events) run.whole(e, tiddle_name(e.object));
  return run.take();
}

// The first and the last event are in the block; what is between them tears it apart.
std::optional<std::string> run_of(const finding::Finding& finding,
                                  const finding::AtomicityFinding& violation) {
  Run run;
  const std::string& thread = finding.events[0].thread;
  const std::string block =
      tiddle_name(violation.blocks.empty() ? "block" : violation.blocks.back());
  run.put("beg {} {}", thread, block);
  for (const finding::DescribedEvent& e : finding.events) run.whole(e, run.object(e));
  run.put("end {} {}", thread, block);
  return run.take();
}

std::optional<std::string> run_of(const finding::Finding& finding,
                                  const finding::NondeterminismFinding& details) {
  Run run;
  const finding::DescribedEvent& read = finding.events[0];
  const std::string variable = run.variable(details.location, read);
  const finding::DescribedEvent* other = finding.events.size() > 1 ? &finding.events[1] : nullptr;
  const finding::DescribedEvent* seen = details.seen_write ? &*details.seen_write : nullptr;
  const bool ends_first = other && seen && other->thread != seen->thread;
  std::vector<std::string> writers;
  for (const finding::DescribedEvent* write : {other, seen}) {
    if (ends_first && write->thread != read.thread) writers.push_back(write->thread);
  }
  for (const std::string& writer : writers) run.put("fork {} {}", read.thread, writer);
  for (const finding::DescribedEvent* write : {other, seen}) {
    if (write) run.whole(*write, variable);
  }
  for (const std::string& writer : writers) run.put("join {} {}", read.thread, writer);
  run.whole(read, variable);
  return run.take();
}

std::optional<std::string> run_of(const finding::Finding& finding,
                                  const finding::PropertyFinding&) {
  return run_of_accesses(finding);
}

std::optional<std::string> run_of(const finding::Finding&, const finding::MisuseFinding&) {
  return {};
}

}  // namespace

std::optional<std::string> smallest_run(const finding::Finding& finding) {
  return std::visit([&](const auto& details) { return run_of(finding, details); }, finding.details);
}

}  // namespace foretell::replay
