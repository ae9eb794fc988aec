// SPDX-License-Identifier: Apache-2.0

// Plan: what every target needs to know of a trace before it writes a line of code.
//
// The events are walked once next to their normalized form: raw events say which operations the
// program must have (re-entrant acquires are operations too), the normalized ones which notify
// served which wake, which generation a barrier event belongs to and which write a read sees.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "tiddle/compile.h"
#include "tiddle/names.h"
#include "trace/event.h"
#include "trace/tables.h"

namespace foretell::tiddle {

inline constexpr size_t kNever = std::numeric_limits<size_t>::max();

// A piece of a thread's code: one operation, or a function with its body. A function is entered in
// `step` and left in `end_step` (kNever: the trace ends inside it).
struct Node {
  size_t step = 0;
  size_t function = kNever;  // index into Plan::functions, kNever for a single operation
  size_t invocation = 0;     // which body of the function
  size_t end_step = kNever;
  std::vector<Node> body;
};

struct FunctionPlan {
  std::string name, identifier;
  size_t invocations = 0;
};

struct ThreadPlan {
  ThreadId id{};
  std::string name, identifier;
  std::string body;           // the function it runs
  std::string arrival;        // Java: where it keeps the phase of the barrier it is at
  size_t forked_at = kNever;  // kNever: main starts it
  size_t joined_at = kNever;  // kNever: main joins it
  size_t last_step = kNever;  // of its own events; kNever: it has none
  bool has_exit = false;
  bool abandoned = false;  // the trace ends while it waits on a condition
  std::vector<Node> code;
};

struct LockPlan {
  std::string name, identifier;
  bool used = false;
  bool reentrant = false;  // acquired exclusively by its holder
  bool shared = false;     // used in shared mode
  bool waited = false;     // given up by waits
  bool own_try = false;    // a try by a holder fails
};

// What a wait needs, by the event of the wait.
struct WaitPlan {
  size_t wake = kNever;    // step of the wake
  size_t notify = kNever;  // step of the notify that served it; kNever: spurious or never woken
  uint32_t depth = 1;      // how often the lock was held
};

struct NamedObject {
  std::string name, identifier;
  bool used = false;
  uint64_t count = 0;  // semaphores: initial count; barriers: parties
};

struct Plan {
  Plan(const trace::TraceTables& t, std::span<const trace::Event> e) : tables(&t), events(e) {}

  const trace::TraceTables* tables;
  std::span<const trace::Event> events;
  size_t first_step = 0;             // of this trace in the program: events are steps
  std::vector<trace::Event> normal;  // normalized
  std::vector<std::string> texts;    // by event: its Tiddle line without the line end
  std::vector<uint64_t> stored;      // by event: what a write stores
  std::vector<WaitPlan> waits;       // by event
  std::vector<size_t> wait_of_wake;  // by event: step of the wait that a wake ends
  std::vector<ThreadPlan> threads;   // in order of appearance
  std::vector<LockPlan> locks;       // by LockId
  std::vector<NamedObject> conditions, barriers, semaphores;
  std::vector<FunctionPlan> functions;
  Names names;

  std::string where(size_t step) const { return fmt::format("event {}", step); }
  const ThreadPlan& thread(ThreadId id) const;
  std::string_view thread_name(const trace::Event& e) const { return tables->threads[e.thread]; }
};

Result<Plan> make_plan(const TraceView& trace, const CompileOptions& options);

// The code of every thread as nested functions; plan_code.cc.
Result<void> plan_code(Plan& plan, bool blocks_as_functions);

// What writes without a value store: what later reads saw of them, otherwise distinct values;
// plan_values.cc.
Result<void> plan_values(Plan& plan, std::span<const trace::Location> cells);

}  // namespace foretell::tiddle
