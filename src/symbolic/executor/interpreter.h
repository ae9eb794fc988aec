// SPDX-License-Identifier: Apache-2.0

// Executes one path of a program under one choice of inputs.
//
// Concolic and without states to keep: the inputs decide every branch, and the search runs the
// program again for the next path. One thread runs at a time, up to its next ordered operation; then the
// thread with the fewest nodes that can go on performs its own. So the order of operations is a
// function of the operations before it, never of what lies between them.
//
// A path also ends where the program can only fail from here on (a call of abort, a bad address). Then
// Path::avoidable says which inputs would go another way; if there are none, set `may_fail`.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string>
#include <vector>

#include "program/code.h"
#include "smt/expr_context.h"
#include "smt/model.h"
#include "symbolic/executor/arithmetic.h"
#include "symbolic/executor/inputs.h"
#include "symbolic/executor/memory.h"
#include "symbolic/executor/path.h"
#include "symbolic/models/synchronization.h"
#include "symbolic/slicing/control_facts.h"

namespace foretell::symbolic {

struct ExecutionLimits {
  uint32_t threads = 8;         // besides main
  uint64_t steps = 20'000'000;  // of one path
  uint32_t arguments = 4;       // of the program, besides its name
  uint32_t argument_bytes = 16;
};

struct ProgramStart {
  std::vector<std::string> fixed_arguments;  // the program's name not among them
  bool arguments_are_fixed = false;
};

class Interpreter {
 public:
  Interpreter(const program::Code& code, const ControlFacts& facts, smt::ExprContext& context,
              Inputs& inputs, const ExecutionLimits& limits, const ProgramStart& start,
              const smt::Model& values, bool may_fail);

  Path run();
  // Of the path that run() gave.
  const Memory& memory() const { return memory_; }

 private:
  friend class Library;

  struct Frame {
    uint32_t function = 0, serial = 0;
    uint32_t block = 0, next = 0;
    std::vector<Value> registers;
    const program::CodeInstruction* call = nullptr;  // that waits for the result
    std::vector<ObjectNumber> slots;
  };
  struct Thread {
    std::vector<Frame> frames;
    bool is_done = false;
    bool has_request = false;
    SyncRequest request;
    const program::CodeInstruction* request_call = nullptr;
    uint32_t request_detail = 0;
    Value exit_value = Value::pointer(kNullObject, 0);
    int exit_status = 0;
    std::vector<ObjectNumber> own_globals;  // thread-local ones, by global
  };
  enum class Flow : uint8_t { goes_on, stops };

  // Setting up
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
  void end_deadlocked();
  void start_thread(uint32_t creator, const program::CodeInstruction& call);
  void hand_over_result(uint32_t joiner, const program::CodeInstruction& call);

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
  // The place of an access; stops the path if it is bad. `bytes` from there must be in the object.
  bool resolve(const program::CodeInstruction& instruction, const Value& address, uint64_t bytes,
               Detail& detail);
  // An integer that the run needs as a number: what it is, with a condition if it depends on inputs.
  uint64_t pin(const Value& value, Detail& detail, const char* what);
  Value load_anywhere(const Value& address, uint64_t bytes, Detail& detail);
  bool store_anywhere(const Value& address, uint64_t bytes, const Value& value, Detail& detail);
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
  Path path_;
};

}  // namespace foretell::symbolic
