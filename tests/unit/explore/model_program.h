// SPDX-License-Identifier: Apache-2.0

// A made-up program that can be run under any schedule, and whose schedules can all be run.
//
// Threads 1 and up are created by thread 0, which joins them in the end. Each has registers of its
// own, and instructions that touch shared variables and locks; a branch skips some of them, so what
// a thread does depends on what it has read. It shares nothing with what is tested: it knows no
// histories and no reorderings.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "explore/explored_run.h"

namespace foretell::explore {

struct Instruction {
  enum class Kind : uint8_t { read, write, add, lock, unlock, skip_unless };
  Kind kind;
  uint32_t object = 0;  // variable, lock
  uint64_t value = 0;   // write: this plus the register; add: what is added, in one step
                        // skip_unless: what the register has to be
  uint32_t skipped = 0;
};

struct ModelProgram {
  std::vector<std::vector<Instruction>> threads;  // those of thread 0 are made of fork and join
  uint32_t variables = 1, locks = 1;
};

// One run of it, up to some point.
class ModelRun {
 public:
  explicit ModelRun(const ModelProgram& program)
      : program_(&program),
        memory_(program.variables),
        holders_(program.locks),
        threads_(program.threads.size() + 1) {}

  size_t thread_count() const { return threads_.size(); }
  size_t worker_count() const { return threads_.size() - 1; }

  bool can_step(size_t t) const {
    const Thread& thread = threads_[t];
    if (t == 0) {
      if (thread.next < worker_count()) return true;
      return thread.next < 2 * worker_count() && is_done(thread.next - worker_count() + 1);
    }
    if (threads_[0].next < t || is_done(t)) return false;
    const Instruction& i = program_->threads[t - 1][thread.next];
    return i.kind != Instruction::Kind::lock || !holders_[i.object];
  }

  void step(size_t t) {
    Thread& thread = threads_[t];
    trace::Event e{.thread = ThreadId{static_cast<uint32_t>(t)},
                   .site = SiteId{static_cast<uint32_t>(100 * t + thread.next)},
                   .index = EventIndex{events_.size()}};
    if (t == 0) {
      const bool forks = thread.next < worker_count();
      e.kind = forks ? trace::EventKind::Fork : trace::EventKind::Join;
      e.object = static_cast<uint32_t>(thread.next % worker_count() + 1);
      ++thread.next;
    } else {
      execute(t, e);
    }
    events_.push_back(e);
  }

  bool is_over() const {
    for (size_t t = 0; t < threads_.size(); ++t) {
      if (can_step(t)) return false;
    }
    return true;
  }

  // All that the threads have read. (What is left in memory may still depend on the order of writes
  // that nobody reads.)
  std::vector<uint64_t> outcome() const {
    std::vector<uint64_t> all;
    for (const Thread& thread : threads_) {
      all.push_back(thread.seen.size());
      all.insert(all.end(), thread.seen.begin(), thread.seen.end());
    }
    return all;
  }

  std::unique_ptr<ExploredRun> explored() const {
    trace::Trace raw;
    for (size_t t = 0; t < threads_.size(); ++t) {
      raw.tables.threads.intern(fmt::format("T{}", t));
    }
    for (uint32_t i = 0; i < 100 * threads_.size(); ++i) raw.tables.intern_site("model", i + 1);
    for (uint32_t v = 0; v < program_->variables; ++v) {
      raw.tables.intern_variable(fmt::format("v{}", v));
    }
    for (uint32_t l = 0; l < program_->locks; ++l) raw.tables.locks.intern(fmt::format("m{}", l));
    raw.events = events_;
    schedule::ThreadColumn steps;
    steps.add(raw.events);
    steps.take_numbers_from(raw.tables);
    auto normal = normalize(std::move(raw));
    if (!normal) throw std::runtime_error(normal.error().to_text());
    return ExploredRun::of(std::move(*normal), std::move(steps));
  }

 private:
  struct Thread {
    size_t next = 0;
    uint64_t value = 0;          // its register: what it read last
    std::vector<uint64_t> seen;  // all it read
  };

  bool is_done(size_t t) const {
    return t > 0 && threads_[t].next >= program_->threads[t - 1].size();
  }

  void execute(size_t t, trace::Event& e) {
    using trace::EventKind;
    Thread& thread = threads_[t];
    const Instruction& i = program_->threads[t - 1][thread.next++];
    e.object = i.object;
    switch (i.kind) {
      case Instruction::Kind::read:
        e.kind = EventKind::Read;
        thread.value = e.value = memory_[i.object];
        e.flags = trace::Event::kHasValue;
        thread.seen.push_back(e.value);
        break;
      case Instruction::Kind::write:
        e.kind = EventKind::Write;
        memory_[i.object] = e.value = i.value + thread.value;
        e.flags = trace::Event::kHasValue;
        break;
      case Instruction::Kind::add:
        e.kind = EventKind::AtomicRmw;
        e.extra = thread.value = memory_[i.object];
        memory_[i.object] = e.value = thread.value + i.value;
        e.flags = trace::Event::kHasValue | trace::Event::kHasReadValue;
        thread.seen.push_back(thread.value);
        break;
      case Instruction::Kind::lock:
        e.kind = EventKind::Acquire;
        holders_[i.object] = true;
        break;
      case Instruction::Kind::unlock:
        e.kind = EventKind::Release;
        holders_[i.object] = false;
        break;
      case Instruction::Kind::skip_unless:
        e.kind = EventKind::Branch;
        if (thread.value != i.value) thread.next += i.skipped;
        break;
    }
  }

  const ModelProgram* program_;
  std::vector<uint64_t> memory_;
  std::vector<bool> holders_;
  std::vector<Thread> threads_;
  std::vector<trace::Event> events_;
};

// Calls `visit` with every run of the program to its end.
inline void for_each_run(const ModelRun& begun, const std::function<void(const ModelRun&)>& visit) {
  if (begun.is_over()) return visit(begun);
  for (size_t t = 0; t < begun.thread_count(); ++t) {
    if (!begun.can_step(t)) continue;
    ModelRun next = begun;
    next.step(t);
    for_each_run(next, visit);
  }
}

}  // namespace foretell::explore
