// SPDX-License-Identifier: Apache-2.0

// C++20 programs for Linux, for clang and gcc.
//
// Each thread is a pthread. Each of its operations waits for its turn, runs, and passes the turn
// on (cxx_runtime.cc). The real primitives are used throughout; two are taken apart so that they
// never block outside of their turn: a barrier is a std::barrier, whose arrive and wait are the two
// halves of a barrier, and a wait gives up its turn inside the condition variable (Waiter).
//
// Everything of one trace lies in a namespace of its own, with external linkage, so that a compiler
// can neither drop accesses nor mix the names up with those of the C library.
#include <algorithm>

#include "tiddle/code_writer.h"
#include "tiddle/cxx_memory.h"
#include "tiddle/cxx_operations.h"
#include "tiddle/cxx_runtime.h"
#include "tiddle/target.h"

namespace foretell::tiddle {
namespace {

class CxxTrace {
 public:
  CxxTrace(const Plan& plan, const CxxMemory& memory, const CompileOptions& options,
           std::string name_space)
      : plan_(plan),
        memory_(memory),
        options_(options),
        namespace_(std::move(name_space)),
        out_(2),
        operations_(plan, memory, options.lockstep, out_) {}

  Result<std::string> write() {
    if (auto ok = check_locks(); !ok) return std::unexpected(std::move(ok).error());
    out_.blank();
    out_.line("namespace {} {{", namespace_);
    out_.blank();
    objects();
    for (const ThreadPlan& thread : plan_.threads) {
      out_.line("::pthread_t {} = 0;{}", thread.identifier, original(thread));
    }
    declarations();
    bodies_.resize(plan_.functions.size());
    for (const ThreadPlan& thread : plan_.threads) collect(thread.code);
    for (size_t i = 0; i < plan_.functions.size(); ++i) {
      if (auto done = function(i); !done) return std::unexpected(std::move(done).error());
    }
    for (const ThreadPlan& thread : plan_.threads) {
      out_.blank();
      out_.open(fmt::format("static void* {}(void*)", thread.body));
      if (auto done = code(thread.code); !done) return std::unexpected(std::move(done).error());
      out_.line("return nullptr;");
      out_.close();
    }
    run_function();
    out_.blank();
    out_.line("}}  // namespace {}", namespace_);
    return out_.take();
  }

 private:
  template <class Row>
  static std::string original(const Row& row) {
    return row.name == row.identifier ? "" : "  // " + as_comment(row.name);
  }

  Result<void> check_locks() const {
    for (size_t step = 0; step < plan_.events.size(); ++step) {
      const trace::Event& e = plan_.events[step];
      if (operands_of(e.kind) != trace::Operands::Lock) continue;
      const LockPlan& lock = plan_.locks[to_index(e.lock())];
      if (lock.shared && lock.reentrant) {
        return fail_at(plan_.where(step),
                       "lock {} is re-entrant and used in shared mode: C++ has no such lock",
                       lock.name);
      }
      if (lock.reentrant && lock.own_try) {
        return fail_at(plan_.where(step),
                       "lock {} is re-entrant, but a try by its holder fails: C++ has no such lock",
                       lock.name);
      }
    }
    return {};
  }

  void objects() {
    for (const MemoryObject& object : memory_.objects()) {
      const std::string_view type = object.wide ? "std::int64_t" : "int";
      switch (object.shape) {
        case ObjectShape::variable:
          if (object.plain) {
            out_.line("{} {} = 0;{}", type, object.identifier, original(object));
          } else {
            out_.line("std::atomic<{}> {}{{0}};{}", type, object.identifier, original(object));
          }
          break;
        case ObjectShape::array:
          out_.line("alignas(16) unsigned char {}[{}] = {{}};  // from {}", object.identifier,
                    object.size, as_comment(object.name));
          break;
        case ObjectShape::heap:
          out_.line("unsigned char* volatile {} = nullptr;{}", object.identifier, original(object));
          break;
      }
    }
    for (const LockPlan& lock : plan_.locks) {
      if (!lock.used) continue;
      out_.line("{} {};{}", CxxOperations::lock_type(lock), lock.identifier, original(lock));
    }
    for (const NamedObject& c : plan_.conditions) {
      if (c.used) out_.line("std::condition_variable_any {};{}", c.identifier, original(c));
    }
    for (const NamedObject& s : plan_.semaphores) {
      if (s.used) {
        out_.line("std::counting_semaphore<> {}{{{}}};{}", s.identifier, s.count, original(s));
      }
    }
    bool barriers = false;
    for (const NamedObject& b : plan_.barriers) {
      if (b.used) out_.line("std::barrier<> {}{{{}}};{}", b.identifier, b.count, original(b));
      barriers |= b.used;
    }
    if (barriers) {
      out_.line("thread_local std::optional<std::barrier<>::arrival_token> foretell_arrival;");
    }
  }

  std::string signature(const FunctionPlan& function) const {
    return fmt::format("static void {}({})", function.identifier,
                       function.invocations > 1 ? "int call" : "");
  }

  void declarations() {
    out_.blank();
    for (const ThreadPlan& thread : plan_.threads) {
      out_.line("static void* {}(void*);", thread.body);
    }
    for (const FunctionPlan& f : plan_.functions) out_.line("{};{}", signature(f), original(f));
  }

  void collect(const std::vector<Node>& nodes) {
    for (const Node& node : nodes) {
      if (node.function == kNever) continue;
      auto& bodies = bodies_[node.function];
      if (bodies.size() <= node.invocation) bodies.resize(node.invocation + 1);
      bodies[node.invocation] = &node;
      collect(node.body);
    }
  }

  // The step of the call ends inside the function; the step of its return begins there.
  Result<void> body(const Node& node) {
    end_turn(node.step);
    if (auto done = code(node.body); !done) return done;
    if (node.end_step != kNever) begin_turn(node.end_step);
    return {};
  }

  Result<void> function(size_t index) {
    const FunctionPlan& function = plan_.functions[index];
    out_.blank();
    out_.open(signature(function));
    if (function.invocations == 1) {
      if (auto done = body(*bodies_[index][0]); !done) return done;
    } else {
      out_.open("switch (call)");
      for (size_t i = 0; i < function.invocations; ++i) {
        out_.open(fmt::format("case {}:", i + 1));
        if (auto done = body(*bodies_[index][i]); !done) return done;
        out_.line("break;");
        out_.close();
      }
      out_.close();
    }
    out_.close();
    return {};
  }

  Result<void> code(const std::vector<Node>& nodes) {
    for (const Node& node : nodes) {
      if (node.function == kNever) {
        if (auto done = operation(node.step); !done) return done;
        continue;
      }
      const FunctionPlan& function = plan_.functions[node.function];
      begin_turn(node.step);
      if (function.invocations > 1) {
        out_.line("{}({});", function.identifier, node.invocation + 1);
      } else {
        out_.line("{}();", function.identifier);
      }
      if (node.end_step != kNever) end_turn(node.end_step);
    }
    return {};
  }

  Result<void> operation(size_t step) {
    const trace::EventKind kind = plan_.events[step].kind;
    begin_turn(step);
    if (auto done = operations_.write(step); !done) return done;
    // A wait has ended its turn itself, inside the condition variable.
    if (kind != trace::EventKind::WaitBegin) end_turn(step);
    return {};
  }

  void begin_turn(size_t step) {
    const std::string text = as_comment(plan_.texts[step]);
    if (!options_.lockstep) {
      if (options_.noise == Noise::yield) out_.line("std::this_thread::yield();");
      if (options_.noise == Noise::sleep) {
        out_.line("std::this_thread::sleep_for(std::chrono::milliseconds(1));");
      }
      out_.line("// {}", text);
    } else if (plan_.events[step].kind == trace::EventKind::WaitEnd) {
      out_.line("// {}", text);  // the turn began where the wait took its lock back
    } else {
      out_.line("foretell_lockstep_await({});  // {}", plan_.first_step + step, text);
    }
    if (options_.log_operations) {
      out_.line("foretell_lockstep_log({});", as_literal(plan_.texts[step] + "\n"));
    }
  }

  void end_turn(size_t step) {
    if (options_.lockstep) out_.line("foretell_lockstep_done({});", plan_.first_step + step);
  }

  void run_function() {
    out_.blank();
    out_.open("static void run()");
    for (const MemoryObject& object : memory_.objects()) {
      if (!object.exists_at_start) continue;
      out_.line("foretell_lockstep_keep({}, std::calloc(1, {}));", object.identifier, object.size);
    }
    // A thread that another one joins starts before it, so that its handle is known.
    std::vector<const ThreadPlan*> roots;
    for (const ThreadPlan& thread : plan_.threads) {
      if (thread.forked_at == kNever) roots.push_back(&thread);
    }
    std::ranges::sort(roots, {}, [](const ThreadPlan* t) { return std::pair(t->joined_at, t); });
    for (const ThreadPlan* thread : roots) {
      out_.open(fmt::format("if (::pthread_create(&{}, nullptr, {}, nullptr) != 0)",
                            thread->identifier, thread->body));
      out_.line("foretell_lockstep_fail(\"main\", \"cannot create a thread\");");
      out_.close();
    }
    if (options_.lockstep) {
      out_.line("foretell_lockstep_await({});", plan_.first_step + plan_.events.size());
    }
    for (const ThreadPlan& thread : plan_.threads) {
      if (thread.joined_at != kNever || (thread.abandoned && options_.lockstep)) continue;
      out_.line("::pthread_join(foretell_lockstep_thread({}), nullptr);", thread.identifier);
    }
    out_.close();
  }

  const Plan& plan_;
  const CxxMemory& memory_;
  const CompileOptions& options_;
  std::string namespace_;
  CodeWriter out_;
  CxxOperations operations_;
  std::vector<std::vector<const Node*>> bodies_;  // by function, by invocation
};

// Only what the program uses is included: it is meant to be read.
std::string includes_for(std::string_view code) {
  struct Row {
    std::string_view use, header;
  };
  constexpr Row kRows[] = {
      {"std::atomic", "atomic"},
      {"std::barrier", "barrier"},
      {"std::chrono", "chrono"},
      {"std::condition_variable_any", "condition_variable"},
      {"mutex", "mutex"},
      {"std::optional", "optional"},
      {"std::counting_semaphore", "semaphore"},
      {"std::shared_mutex", "shared_mutex"},
      {"std::this_thread", "thread"},
      {"std::move", "utility"},
  };
  std::string text(kCxxIncludes);
  for (const Row& row : kRows) {
    if (code.find(row.use) != std::string_view::npos) {
      text += fmt::format("#include <{}>\n", row.header);
    }
  }
  return text;
}

}  // namespace

Result<std::string> write_cxx_program(std::span<const Plan> plans, const CompileOptions& options) {
  std::string traces;
  std::string calls;
  bool abandoned = false;
  for (size_t i = 0; i < plans.size(); ++i) {
    Plan plan = plans[i];
    FORETELL_TRY(memory, CxxMemory::lay_out(plan));
    const std::string name =
        plans.size() == 1 ? std::string("trace") : fmt::format("trace_{}", i + 1);
    FORETELL_TRY(text, CxxTrace(plan, memory, options, name).write());
    traces += text;
    calls += fmt::format("  {}::run();\n", name);
    for (const ThreadPlan& thread : plan.threads) abandoned |= thread.abandoned;
  }

  auto uses = [&](std::string_view word) { return traces.find(word) != std::string::npos; };
  std::string program = fmt::format(
      "// {}: compiled from Tiddle. Build with -std=c++20 -pthread.\n", as_comment(options.name));
  program += includes_for(traces);
  if (uses("FORETELL_")) program += kCxxAnnotations;
  program += kCxxRuntime;
  if (options.lockstep) program += kCxxLockstep;
  if (uses("foretell_word") || uses("foretell_atomic") || uses("foretell_lockstep_number")) {
    program += kCxxWords;
  }
  if (uses("Waiter<")) program += options.lockstep ? kCxxWaiter : kCxxFreeWaiter;
  program += traces;
  program += "\nint main() {\n" + calls;
  // Threads that the trace leaves waiting cannot be joined.
  program += abandoned && options.lockstep ? "  std::_Exit(0);\n}\n" : "  return 0;\n}\n";
  return program;
}

}  // namespace foretell::tiddle
