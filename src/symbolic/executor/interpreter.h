// SPDX-License-Identifier: Apache-2.0

// Executes one path of a program under one choice of inputs.
//
// Concolic and without states to keep: the inputs decide every branch, and the search runs the
// program again for the next path. One thread runs at a time, up to its next ordered operation; then the
// thread with the fewest nodes that can go on performs its own. So the order of operations is a
// function of the operations before it, never of what lies between them.
//
// It begins with main, or in the middle of the program with a state whose values are inputs, and ends
// with the program, or when every thread is at a marker that it is to stop at, blocked or done.
//
// A path also ends where the program can only fail from here on (a call of abort, a bad address). Then
// Path::avoidable says which inputs would go another way; if there are none, set `may_fail`.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <set>
#include <string>
#include <vector>

#include "program/code.h"
#include "smt/expr_context.h"
#include "smt/model.h"
#include "symbolic/executor/arithmetic.h"
#include "symbolic/executor/inputs.h"
#include "symbolic/executor/memory.h"
#include "symbolic/executor/path.h"
#include "symbolic/executor/program_state.h"
#include "symbolic/slicing/control_facts.h"

namespace foretell::symbolic {

struct ExecutionLimits {
  uint32_t threads = 8;         // besides main
  uint64_t steps = 20'000'000;  // of one path
  uint32_t arguments = 4;       // of the program, besides its name
  uint32_t argument_bytes = 16;
  // Steps of a loop that does not synchronize; then it may have done anything that it could do.
  uint64_t loop_steps = 200'000;
  uint32_t epoch_length = 1000;  // operations of a thread after which it stops at the next marker
  uint32_t unroll = 1;           // rounds of a loop that inputs decide, in one epoch
};

struct ProgramStart {
  std::vector<std::string> fixed_arguments;  // the program's name not among them
  bool arguments_are_fixed = false;
  const ProgramState* state = nullptr;  // in the middle of the program
  uint32_t epoch = 0;                   // whose inputs unknown bytes are
  const Schedule* guide = nullptr;      // which says where to stop, instead of what is decided
};

// How far getopt() is: in which argument, and behind which of its bytes (0: not in one).
struct Options {
  uint32_t argument = 1, byte = 0;
};

class Interpreter {
 public:
  Interpreter(const program::Code& code, const ControlFacts& facts, smt::ExprContext& context,
              Inputs& inputs, const ExecutionLimits& limits, const ProgramStart& start,
              const smt::Model& values, bool may_fail);

  Path run();
  // Of the path that run() gave.
  const Memory& memory() const { return memory_; }
  ProgramState take_state();

 private:
  friend class Library;

  enum class Flow : uint8_t { goes_on, stops };

  // Setting up
  void resume();
  void settle_opaque();
  void make_globals();
  void start_main();
  Value argument_vector();
  ObjectNumber make_argument(uint32_t index);
  Frame make_frame(uint32_t function, uint32_t thread, uint32_t caller,
                   const std::vector<Value>& arguments);

  // Threads
  void advance(uint32_t thread);
  void finish_request(uint32_t thread);
  bool choose_and_perform();
  void end_blocked();
  bool should_stop(uint32_t thread, uint32_t instruction, bool is_barrier);
  enum class Ahead : uint8_t { decided, open, nothing };
  Ahead look_ahead(uint32_t thread);
  Flow arrive_at_marker(uint32_t thread, const program::CodeInstruction& marker);
  void start_thread(uint32_t creator, const program::CodeInstruction& call);
  void keep_result(uint32_t thread, const program::CodeInstruction& call);
  void hand_over_result(uint32_t joiner, const program::CodeInstruction& call);

  // Long loops (interpreter_loops.cc)
  void watch_loop(uint32_t thread, uint32_t to);
  bool is_too_long(uint32_t thread) const;
  bool skip_loop(uint32_t thread);
  void havoc(const std::vector<program::AbstractBytes>& writes, Detail& detail);
  void forget_register(uint32_t thread, const program::CodeInstruction& at,
                       const program::CodeInstruction& defines);
  uint32_t next_instruction(const Frame& frame) const;

  // One instruction of a thread
  Flow execute(uint32_t thread);
  Flow execute_memory(uint32_t thread, const program::CodeInstruction& instruction);
  Flow execute_branch(uint32_t thread, const program::CodeInstruction& instruction);
  Flow execute_call(uint32_t thread, const program::CodeInstruction& instruction);
  Flow execute_return(uint32_t thread, const program::CodeInstruction& instruction);
  Flow enter_block(uint32_t thread, uint32_t to);
  Flow go(uint32_t thread, const program::CodeInstruction& instruction, uint32_t to,
          const Value& decided_by, smt::Expr condition);
  Flow request(uint32_t thread, const program::CodeInstruction& instruction, SyncKind kind);
  Value compute(const program::CodeInstruction& instruction, const Frame& frame);

  // Values and memory
  Value value_of(const program::Operand& operand, const Frame& frame);
  void set(Frame& frame, const program::CodeInstruction& instruction, Value value);
  Value unknown_of(const program::CodeInstruction& instruction) const;
  Value loaded(const program::CodeInstruction& instruction, Value value) const;
  // The place of an access; stops the path if it is bad. `bytes` from there must be in the object.
  bool resolve(const program::CodeInstruction& instruction, const Value& address, uint64_t bytes,
               Detail& detail);
  bool is_wild(const Value& address, uint64_t bytes) const;
  // An integer that the run needs as a number: what it is, with a condition if it depends on inputs.
  uint64_t pin(const Value& value, Detail& detail, const char* what);
  Value load_anywhere(const Value& address, uint64_t bytes, Detail& detail);
  bool store_anywhere(const Value& address, uint64_t bytes, const Value& value, Detail& detail);
  std::optional<Value> aligned_address(const program::CodeInstruction& instruction,
                                       const Frame& frame);
  std::optional<Value> null_test(const program::CodeInstruction& instruction, const Value& a,
                                 const Value& b);

  // What the path leaves
  Step& record(const program::CodeInstruction& instruction, uint32_t frame);
  uint32_t add_detail(Detail detail);
  Flow refuse(const program::CodeInstruction& instruction, const std::string& what);
  Flow fail(const program::CodeInstruction& instruction, const std::string& what,
            std::optional<smt::Expr> because);
  void note(NoteKind kind, bool is_open, const program::CodeInstruction& instruction,
            const std::string& text);
  std::string place_of(const program::CodeInstruction& instruction) const {
    return code_.text_of(instruction.position);
  }
  Frame& top(uint32_t thread) { return threads_[thread].frames.back(); }

  const program::Code& code_;
  const ControlFacts& facts_;
  smt::ExprContext& context_;
  Inputs& inputs_;
  const ExecutionLimits& limits_;
  const ProgramStart& start_;
  smt::Evaluator values_;
  const bool may_fail_;
  Arithmetic arithmetic_;
  Memory memory_;
  Synchronization synchronization_;
  std::vector<Thread> threads_;
  std::vector<ObjectNumber> globals_;
  bool is_over_ = false;
  Options options_;
  std::set<std::pair<uint32_t, uint32_t>> skipped_;  // loops, by function and header
  Path path_;
};

}  // namespace foretell::symbolic
