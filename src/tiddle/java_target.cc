// SPDX-License-Identifier: Apache-2.0

// Java programs, as in figure 24.2 of PREDICT.
//
// All threads go through every step together: await(cc) begins it, one of them runs its operation,
// await(cb) ends it. An analysis that ignores calls of await (and of skip, blocked and resume,
// which belong to it) sees the operations only.
//
// The number of threads in the lockstep changes when threads begin, end and wait (24.4). While all
// are between the two barriers, nobody is at the other one: the action of the barrier that begins a
// step makes the barrier that ends it and the one that begins the next, for as many threads as will
// come there.
//
// A thread that waits on a condition leaves the lockstep within the step of its wait, and is back
// to end the step of its wake. In programs with such waits main takes part in all steps: it ends
// the step of a wait only when it sees that the thread is blocked.
#include <algorithm>

#include "tiddle/code_writer.h"
#include "tiddle/java_operations.h"
#include "tiddle/java_plan.h"
#include "tiddle/java_runtime.h"
#include "tiddle/target.h"

namespace foretell::tiddle {
namespace {

class JavaTrace {
 public:
  JavaTrace(const Plan& plan, const JavaObjects& objects, const CompileOptions& options,
            std::string class_name, CodeWriter& out)
      : plan_(plan),
        objects_(objects),
        options_(options),
        class_(std::move(class_name)),
        out_(out),
        operations_(plan, objects, options.lockstep, out) {}

  void write() {
    count_parties();
    fields();
    if (options_.lockstep) lockstep();
    for (const ThreadPlan& thread : plan_.threads) {
      out_.line("static final Thread {} = new Thread({}::{});{}", thread.identifier, class_,
                thread.body, original(thread));
    }
    bodies_.resize(plan_.functions.size());
    for (const ThreadPlan& thread : plan_.threads) collect(thread.code);
    for (size_t i = 0; i < plan_.functions.size(); ++i) function(i);
    for (const ThreadPlan& thread : plan_.threads) thread_method(thread);
    run_method();
  }

 private:
  template <class Row>
  static std::string original(const Row& row) {
    return row.name == row.identifier ? "" : " // " + as_comment(row.name);
  }

  void count_parties() {
    const size_t steps = plan_.events.size();
    beginning_.assign(steps, 0);
    ending_.assign(steps, 0);
    for (size_t step = 0; step < steps; ++step) {
      if (JavaOperations::leaves_lockstep(plan_, step)) waits_.push_back(step);
    }
    for (const ThreadPlan& thread : plan_.threads) {
      if (thread.last_step == kNever) continue;
      const size_t from = thread.forked_at == kNever ? 0 : thread.forked_at + 1;
      for (size_t step = from; step <= last_step_together(thread); ++step) {
        ++beginning_[step];
        ++ending_[step];
      }
      for (size_t wait : waits_) {
        if (plan_.events[wait].thread != thread.id) continue;
        const size_t wake = plan_.waits[wait].wake;
        --ending_[wait];
        if (wake == kNever) continue;
        for (size_t step = wait + 1; step < wake; ++step) {
          --beginning_[step];
          --ending_[step];
        }
        --beginning_[wake];
      }
    }
    if (!waits_.empty()) {
      for (size_t& count : beginning_) ++count;
      for (size_t& count : ending_) ++count;
    }
  }

  // Threads that somebody may watch ending do not stay to the end of the trace.
  size_t last_step_together(const ThreadPlan& thread) const {
    const bool leaves = thread.joined_at != kNever || thread.has_exit || thread.abandoned;
    return leaves ? thread.last_step : plan_.events.size() - 1;
  }

  void fields() {
    for (LocationId location : objects_.field_order) {
      const JavaField& field = objects_.fields.at(location);
      out_.line("static {}{} {} = 0;{}", field.is_volatile ? "volatile " : "",
                field.wide ? "long" : "int", field.identifier, original(field));
    }
    for (LocationId location : objects_.field_order) {
      const JavaField& field = objects_.fields.at(location);
      if (!field.handle) continue;
      out_.line("static final VarHandle {} = handle({}.class, \"{}\", {}.class);",
                field.handle_identifier, class_, field.identifier, field.wide ? "long" : "int");
    }
    for (size_t i = 0; i < plan_.locks.size(); ++i) {
      const LockPlan& lock = plan_.locks[i];
      if (!lock.used) continue;
      constexpr std::string_view kTypes[] = {"Object", "ReentrantLock", "ReentrantReadWriteLock"};
      out_.line("static final {0} {1} = new {0}();{2}", kTypes[to_index(objects_.locks[i])],
                lock.identifier, original(lock));
    }
    for (size_t i = 0; i < plan_.conditions.size(); ++i) {
      const NamedObject& c = plan_.conditions[i];
      if (!c.used) continue;
      const size_t lock = to_index(objects_.lock_of_condition[i]);
      const bool read_write = objects_.locks[lock] == JavaLock::read_write;
      out_.line("static final Condition {} = {}{}.newCondition();{}", c.identifier,
                plan_.locks[lock].identifier, read_write ? ".writeLock()" : "", original(c));
    }
    for (const NamedObject& s : plan_.semaphores) {
      if (!s.used) continue;
      out_.line("static final Semaphore {} = new Semaphore({});{}", s.identifier, s.count,
                original(s));
    }
    bool barriers = false;
    for (const NamedObject& b : plan_.barriers) {
      if (!b.used) continue;
      barriers = true;
      out_.line("static final Phaser {} = new Phaser({});{}", b.identifier, b.count, original(b));
    }
    if (!barriers) return;
    for (const ThreadPlan& thread : plan_.threads) {
      out_.line("static int {};", thread.arrival);
    }
  }

  static std::string list(const std::vector<size_t>& numbers) {
    return fmt::format("{}", fmt::join(numbers, ", "));
  }

  void lockstep() {
    const size_t first = beginning_.empty() ? 1 : beginning_[0];
    auto same = [&](size_t n) { return n == first; };
    if (std::ranges::all_of(beginning_, same) && std::ranges::all_of(ending_, same)) {
      out_.line("static final int numThreads = {};", first);
      out_.line("static final CyclicBarrier cb = new CyclicBarrier(numThreads);");
      out_.line("static final CyclicBarrier cc = new CyclicBarrier(numThreads);");
    } else {
      out_.line("static final int[] beginning = {{{}}}; // threads that begin each step",
                list(beginning_));
      out_.line("static final int[] ending = {{{}}}; // threads that end it", list(ending_));
      out_.line("static volatile int step = -1;");
      out_.line("static volatile CyclicBarrier cb;");
      out_.line("static volatile CyclicBarrier cc = new CyclicBarrier(beginning[0], {}::begin);",
                class_);
      out_.blank();
      out_.open("static void begin()");
      out_.line("int next = step + 1;");
      out_.line("cb = new CyclicBarrier(ending[next]);");
      out_.open("if (next + 1 < beginning.length)");
      out_.line("cc = new CyclicBarrier(beginning[next + 1], {}::begin);", class_);
      out_.close();
      out_.line("step = next;");
      out_.close();
    }
    out_.blank();
    out_.open("static void skip(int steps) throws Exception");
    out_.open("for (int i = 0; i < steps; i++)");
    out_.line("await(cc);");
    out_.line("await(cb);");
    out_.close();
    out_.close();
    if (!waits_.empty()) wait_methods();
    out_.blank();
  }

  void wait_methods() {
    out_.blank();
    out_.line("static volatile int blocking = -1; // the step whose thread is about to block");
    out_.blank();
    out_.open("static void blocked(Thread thread, int wait)");
    out_.open("while (blocking != wait || thread.getState() != Thread.State.WAITING)");
    out_.line("Thread.yield();");
    out_.close();
    out_.close();
    out_.blank();
    out_.open("static void resume(int wake)");
    out_.open("while (step < wake)");
    out_.line("Thread.yield();");
    out_.close();
    out_.close();
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

  void function(size_t index) {
    const FunctionPlan& function = plan_.functions[index];
    out_.blank();
    out_.open(fmt::format("static void {}({}) throws Exception", function.identifier,
                          function.invocations > 1 ? "int call" : ""));
    out_.line("long _z = 0; // for reads");
    if (function.invocations == 1) {
      body(*bodies_[index][0]);
    } else {
      out_.open("switch (call)");
      for (size_t i = 0; i < function.invocations; ++i) {
        out_.open(fmt::format("case {}:", i + 1));
        body(*bodies_[index][i]);
        out_.line("break;");
        out_.close();
      }
      out_.line("default:");
      out_.indent();
      out_.line("break;");
      out_.dedent();
      out_.close();
    }
    out_.close();
  }

  // The step of the call ends inside the function; the step of its return begins there.
  void body(const Node& node) {
    end_turn(node.step);
    code(node.body);
    if (node.end_step != kNever) begin_turn(node.end_step);
  }

  void code(const std::vector<Node>& nodes) {
    for (const Node& node : nodes) {
      begin_turn(node.step);
      if (node.function == kNever) {
        operations_.write(node.step);
        if (!JavaOperations::leaves_lockstep(plan_, node.step)) end_turn(node.step);
        continue;
      }
      const FunctionPlan& function = plan_.functions[node.function];
      out_.line("{}({});", function.identifier,
                function.invocations > 1 ? fmt::format("{}", node.invocation + 1) : "");
      if (node.end_step == kNever) {
        next_ = plan_.thread(plan_.events[node.step].thread).last_step + 1;
      } else {
        end_turn(node.end_step);
      }
    }
  }

  void begin_turn(size_t step) {
    const size_t wait = plan_.wait_of_wake[step];
    if (!options_.lockstep) {
      if (options_.noise == Noise::yield) out_.line("Thread.yield();");
      if (options_.noise == Noise::sleep) out_.line("Thread.sleep(1);");
      out_.line("// {}", as_comment(plan_.texts[step]));
    } else if (wait != kNever && JavaOperations::leaves_lockstep(plan_, wait)) {
      out_.line("resume({}); // {}", step, as_comment(plan_.texts[step]));
    } else {
      idle(step);
      out_.line("await(cc); // {}", as_comment(plan_.texts[step]));
    }
    if (options_.log_operations) out_.line("log({});", as_literal(plan_.texts[step]));
  }

  void end_turn(size_t step) {
    if (options_.lockstep) out_.line("await(cb);");
    next_ = step + 1;
  }

  // Goes through the steps of others until `step`.
  void idle(size_t step) {
    if (step == next_ + 1) {
      out_.line("await(cc);");
      out_.line("await(cb);");
    } else if (step > next_) {
      out_.line("skip({});", step - next_);
    }
    next_ = step;
  }

  void thread_method(const ThreadPlan& thread) {
    out_.blank();
    out_.open(fmt::format("static void {}()", thread.body));
    out_.open("try");
    out_.line("long _z = 0; // for reads");
    next_ = thread.forked_at == kNever ? 0 : thread.forked_at + 1;
    code(thread.code);
    if (options_.lockstep && thread.last_step != kNever && !thread.abandoned) {
      idle(last_step_together(thread) + 1);
    }
    out_.close(" catch (Exception e) {");
    out_.indent();
    out_.line("e.printStackTrace();");
    out_.line("Runtime.getRuntime().halt(2);");
    out_.close();
    out_.close();
  }

  void run_method() {
    out_.blank();
    out_.open("static void run() throws Exception");
    for (const ThreadPlan& thread : plan_.threads) {
      if (thread.forked_at == kNever) out_.line("{}.start();", thread.identifier);
    }
    if (options_.lockstep && !waits_.empty()) {
      next_ = 0;
      for (size_t wait : waits_) {
        idle(wait);
        out_.line("await(cc);");
        out_.line("blocked({}, {});", plan_.thread(plan_.events[wait].thread).identifier, wait);
        out_.line("await(cb);");
        next_ = wait + 1;
      }
      idle(plan_.events.size());
    }
    for (const ThreadPlan& thread : plan_.threads) {
      if (thread.abandoned && options_.lockstep) continue;
      out_.line("awaitStart({});", thread.identifier);
      out_.line("{}.join();", thread.identifier);
    }
    out_.close();
  }

  const Plan& plan_;
  const JavaObjects& objects_;
  const CompileOptions& options_;
  std::string class_;
  CodeWriter& out_;
  JavaOperations operations_;
  std::vector<size_t> beginning_, ending_;  // by step: threads at the barriers around it
  std::vector<size_t> waits_;               // steps in which a thread leaves the lockstep
  std::vector<std::vector<const Node*>> bodies_;
  size_t next_ = 0;  // the next step the thread being written has to go through
};

}  // namespace

Result<std::string> write_java_program(std::span<const Plan> plans, const CompileOptions& options) {
  CodeWriter out(4);
  std::string calls;
  bool abandoned = false;
  bool handles = false;
  out.open(fmt::format("public class {}", options.name));
  for (size_t i = 0; i < plans.size(); ++i) {
    Plan plan = plans[i];
    FORETELL_TRY(objects, plan_java(plan, options.lockstep));
    const bool alone = plans.size() == 1;
    const std::string name = alone ? options.name : fmt::format("ForetellTrace{}", i + 1);
    if (!alone) out.open(fmt::format("static class {}", name));
    JavaTrace(plan, objects, options, name, out).write();
    if (!alone) {
      out.close();
      out.blank();
    }
    calls += fmt::format("        {}.run();\n", name);
    for (const ThreadPlan& thread : plan.threads) abandoned |= thread.abandoned;
    for (const auto& [location, field] : objects.fields) handles |= field.handle;
  }
  common_methods(options, handles, out);
  out.blank();
  out.open("public static void main(String[] args) throws Exception");
  out.raw(calls);
  // Threads that the trace leaves waiting cannot be joined.
  if (abandoned && options.lockstep) out.line("System.exit(0);");
  out.close();
  out.close();
  const std::string code = out.take();
  const std::string imports = imports_for(code);
  return escape_unicode("// Compiled from Tiddle.\n" + imports + (imports.empty() ? "" : "\n") +
                        code);
}

}  // namespace foretell::tiddle
