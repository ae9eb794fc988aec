// SPDX-License-Identifier: Apache-2.0

#include "symbolic/executor/interpreter.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "symbolic/executor/thread_handles.h"

namespace foretell::symbolic {

using program::CodeInstruction;
using program::Operand;
using program::Operation;

std::string_view name_of(NoteKind kind) {
  switch (kind) {
    case NoteKind::assumed:
      return "assumed";
    case NoteKind::concretized:
      return "concretized";
    case NoteKind::unmodeled:
      return "unmodeled";
    case NoteKind::unknown:
      return "unknown";
    case NoteKind::limited:
      return "limited";
  }
  return "";
}

Interpreter::Interpreter(const program::Code& code, const ControlFacts& facts,
                         smt::ExprContext& context, Inputs& inputs, const ExecutionLimits& limits,
                         const ProgramStart& start, const smt::Model& values, bool may_fail)
    : code_(code),
      facts_(facts),
      context_(context),
      inputs_(inputs),
      limits_(limits),
      start_(start),
      values_(values),
      may_fail_(may_fail),
      arithmetic_(context),
      memory_(context),
      synchronization_(memory_) {}

Path Interpreter::run() {
  make_globals();
  start_main();
  while (!is_over_) {
    for (uint32_t thread = 0; thread < threads_.size() && !is_over_; thread++) advance(thread);
    if (!is_over_ && !choose_and_perform()) break;
  }
  path_.schedule.threads = synchronization_.nodes();
  reduce(path_.schedule, synchronization_.order());
  return std::move(path_);
}

// --- What the path leaves ------------------------------------------------------------------------

Step& Interpreter::record(const CodeInstruction& instruction, uint32_t frame) {
  path_.steps.push_back({.instruction = &instruction, .frame = frame});
  if (path_.steps.size() > limits_.steps) {
    path_.ran_out = is_over_ = true;
    path_.schedule.end = EndKind::failed;
    path_.schedule.end_text =
        fmt::format("{}: stopped after {} steps", place_of(instruction), limits_.steps);
    note(NoteKind::limited, true, instruction,
         fmt::format("a path has more than {} steps", limits_.steps));
  }
  return path_.steps.back();
}

uint32_t Interpreter::add_detail(Detail detail) {
  for (const smt::Expr& condition : detail.conditions) path_.conditions.push_back(condition);
  path_.details.push_back(std::move(detail));
  return static_cast<uint32_t>(path_.details.size());
}

void Interpreter::note(NoteKind kind, bool is_open, const CodeInstruction& instruction,
                       const std::string& text) {
  Note one{kind, is_open, text, place_of(instruction)};
  if (std::ranges::find(path_.notes, one) == path_.notes.end())
    path_.notes.push_back(std::move(one));
}

Interpreter::Flow Interpreter::refuse(const CodeInstruction& instruction, const std::string& what) {
  if (path_.refused.empty()) path_.refused = fmt::format("{}: {}", place_of(instruction), what);
  is_over_ = true;
  return Flow::stops;
}

Interpreter::Flow Interpreter::fail(const CodeInstruction& instruction, const std::string& what,
                                    std::optional<smt::Expr> because) {
  is_over_ = true;
  path_.schedule.end = EndKind::failed;
  path_.schedule.end_text = fmt::format("{}: {}", place_of(instruction), what);
  if (!may_fail_ && (because || !path_.conditions.empty()))
    path_.avoidable = {path_.conditions, because ? *because : context_.boolean(true)};
  return Flow::stops;
}

// --- Setting up ----------------------------------------------------------------------------------

void Interpreter::make_globals() {
  for (const program::CodeGlobal& global : code_.globals)
    globals_.push_back(memory_.add({.name = global.name,
                                    .size = global.size,
                                    .is_constant = global.is_constant,
                                    .abstract = global.objects,
                                    .bytes = global.bytes}));
  const Frame nowhere;
  for (size_t i = 0; i < code_.globals.size(); i++)
    for (const program::CodeReference& reference : code_.globals[i].references)
      memory_.store(globals_[i], reference.at, 8, value_of(reference.to, nowhere));
}

Interpreter::Frame Interpreter::make_frame(uint32_t function, uint32_t thread, uint32_t caller,
                                           const std::vector<Value>& arguments) {
  const program::CodeFunction& code = code_.functions[function];
  Frame frame{.function = function, .serial = static_cast<uint32_t>(path_.frames.size())};
  frame.registers.resize(code.registers);
  for (size_t i = 0; i < code.parameters && i < arguments.size(); i++)
    frame.registers[i] = arguments[i];
  path_.frames.push_back({function, thread, caller});
  return frame;
}

void Interpreter::start_main() {
  const auto main = std::ranges::find(code_.functions, "main", &program::CodeFunction::name);
  CHECK(main != code_.functions.end() && !main->blocks.empty());
  std::vector<Value> arguments;
  if (main->parameters > 0) {
    const smt::Expr count = inputs_.find(InputKind::argument_count);
    Value argc = Value::integer(32, values_.value_of(count).low());
    argc.term = count;
    if (start_.arguments_are_fixed) argc = Value::integer(32, start_.fixed_arguments.size() + 1);
    arguments = {argc, argument_vector()};
  }
  synchronization_.add_thread({});
  Thread& thread = threads_.emplace_back();
  const auto function = static_cast<uint32_t>(main - code_.functions.begin());
  thread.frames.push_back(make_frame(function, 0, ~0u, arguments));
  thread.own_globals = globals_;
}

ObjectNumber Interpreter::make_argument(uint32_t index) {
  if (index == 0 || start_.arguments_are_fixed) {
    const std::string text = index == 0 ? "program" : start_.fixed_arguments[index - 1];
    return memory_.add({.name = fmt::format("argv[{}]", index),
                        .size = text.size() + 1,
                        .abstract = {0},
                        .bytes = std::vector<uint8_t>(text.begin(), text.end())});
  }
  const smt::Expr count = inputs_.find(InputKind::argument_count);
  const smt::Expr absent = context_.sle(count, context_.constant(32, index));
  return memory_.add({.name = fmt::format("argv[{}]", index),
                      .size = limits_.argument_bytes,
                      .abstract = {0},
                      .absent_if = absent,
                      .is_absent = values_.is_true(absent),
                      .argument = index});
}

Value Interpreter::argument_vector() {
  const uint32_t count = start_.arguments_are_fixed
                             ? static_cast<uint32_t>(start_.fixed_arguments.size())
                             : limits_.arguments;
  const ObjectNumber vector =
      memory_.add({.name = "argv", .size = 8 * (uint64_t{count} + 2), .abstract = {0}});
  for (uint32_t i = 0; i <= count; i++)
    memory_.store(vector, 8 * i, 8, Value::pointer(make_argument(i), 0));
  memory_.store(vector, 8 * (uint64_t{count} + 1), 8, Value::pointer(kNullObject, 0));
  return Value::pointer(vector, 0);
}

// --- Threads -------------------------------------------------------------------------------------

void Interpreter::advance(uint32_t thread) {
  while (!is_over_ && !threads_[thread].is_done && !threads_[thread].has_request)
    if (execute(thread) == Flow::stops) break;
}

void Interpreter::end_deadlocked() {
  path_.schedule.end = EndKind::deadlock;
  for (uint32_t t = 0; t < threads_.size(); t++) {
    if (threads_[t].is_done) continue;
    std::string& text = path_.schedule.end_text;
    text += (text.empty() ? "" : "; ") + synchronization_.describe_wait(t, threads_[t].request);
    // What it waits for is part of why nobody goes on.
    if (!threads_[t].request.is_awake_part)
      record(*threads_[t].request_call, top(t).serial).detail = threads_[t].request_detail;
  }
}

// The thread with the fewest nodes of those that can go on. False if the path is over.
bool Interpreter::choose_and_perform() {
  std::optional<uint32_t> chosen;
  bool anybody = false;
  for (uint32_t t = 0; t < threads_.size(); t++) {
    if (threads_[t].is_done) continue;
    anybody = true;
    if (!synchronization_.is_ready(t, threads_[t].request)) continue;
    const auto length = [&](uint32_t of) { return synchronization_.nodes()[of].size(); };
    if (!chosen || length(t) < length(*chosen)) chosen = t;
  }
  if (!chosen) {
    if (anybody) end_deadlocked();
    return false;
  }
  finish_request(*chosen);
  return !is_over_;
}

void Interpreter::finish_request(uint32_t t) {
  const CodeInstruction& call = *threads_[t].request_call;
  const SyncKind kind = threads_[t].request.kind;
  if (kind == SyncKind::pthread_create && synchronization_.live_threads() > limits_.threads) {
    record(call, top(t).serial).detail = threads_[t].request_detail;
    path_.schedule.end = EndKind::thread_limit;
    path_.schedule.end_text =
        fmt::format("{}: more than {} threads at once", place_of(call), limits_.threads);
    is_over_ = true;
    return;
  }
  const bool is_second_part = threads_[t].request.is_awake_part;
  const SyncOutcome outcome = synchronization_.perform(t, threads_[t].request);
  if (!outcome.error.empty()) {
    fail(call, outcome.error, {});
    return;
  }
  if (!is_second_part) {
    Step& step = record(call, top(t).serial);
    step.detail = threads_[t].request_detail;
    if (kind == SyncKind::pthread_create)
      step.choice = static_cast<uint32_t>(path_.frames.size()) + 1;
  }
  if (outcome.is_asleep) {
    threads_[t].request.is_awake_part = true;
    return;
  }
  threads_[t].has_request = false;
  if (kind == SyncKind::process_exit) {
    path_.exit_status = threads_[t].exit_status;
    is_over_ = true;
  } else if (kind == SyncKind::pthread_exit || kind == SyncKind::thread_return) {
    threads_[t].is_done = true;
  } else {
    if (kind == SyncKind::pthread_create) start_thread(t, call);
    if (kind == SyncKind::pthread_join) hand_over_result(t, call);
    set(top(t), call, Value::integer(32, static_cast<uint32_t>(outcome.result)));
  }
}

void Interpreter::start_thread(uint32_t creator, const CodeInstruction& call) {
  const Value function = value_of(call.operands[3], top(creator));
  const Value argument = value_of(call.operands[4], top(creator));
  const auto number_of = static_cast<uint32_t>(threads_.size());
  Detail ignored;
  store_anywhere(value_of(call.operands[1], top(creator)), 8,
                 Value::integer(64, handle_of(number_of)), ignored);
  Thread thread;
  thread.frames.push_back(make_frame(number(function.object), number_of, ~0u, {argument}));
  thread.own_globals = globals_;
  for (size_t i = 0; i < code_.globals.size(); i++)
    if (code_.globals[i].is_thread_local)
      thread.own_globals[i] = memory_.add({.name = code_.globals[i].name,
                                           .size = code_.globals[i].size,
                                           .abstract = code_.globals[i].objects,
                                           .bytes = code_.globals[i].bytes});
  threads_.push_back(std::move(thread));
}

void Interpreter::hand_over_result(uint32_t joiner, const CodeInstruction& call) {
  const Value to = value_of(call.operands[2], top(joiner));
  if (to.is_null()) return;
  const Thread& ended = threads_[threads_[joiner].request.number];
  Detail ignored;
  Value result = ended.exit_value;
  store_anywhere(to, 8, result, ignored);
}

// --- Values --------------------------------------------------------------------------------------

Value Interpreter::value_of(const Operand& operand, const Frame& frame) {
  switch (operand.kind) {
    case Operand::Kind::integer:
      return Value::integer(operand.width, operand.bits);
    case Operand::Kind::real:
      return {.kind = Value::Kind::real, .width = operand.width, .bits = operand.bits};
    case Operand::Kind::reg:
      return frame.registers[operand.index];
    case Operand::Kind::global:
      return Value::pointer(
          path_.frames.empty()
              ? globals_[operand.index]
              : threads_[path_.frames[frame.serial].thread].own_globals[operand.index],
          operand.bits);
    case Operand::Kind::function:
      return {.kind = Value::Kind::function, .width = 64, .object = ObjectNumber{operand.index}};
    case Operand::Kind::null:
      return Value::pointer(kNullObject, 0);
    case Operand::Kind::undefined:
      return Value::integer(operand.width, 0);
  }
  return {};
}

void Interpreter::set(Frame& frame, const CodeInstruction& instruction, Value value) {
  if (instruction.result == program::kNoRegister) return;
  if (!value.is_address() && instruction.width != 0) value.width = instruction.width;
  frame.registers[instruction.result] = std::move(value);
}

uint64_t Interpreter::pin(const Value& value, Detail& detail, const char* what) {
  if (value.opaque)
    detail.opaque = fmt::format("{} depends on inputs in a way no term expresses", what);
  if (value.term) {
    const smt::Expr here = context_.equal(*value.term, context_.constant(value.width, value.bits));
    if (!here.is_true()) detail.conditions.push_back(here);
  }
  return value.bits;
}

}  // namespace foretell::symbolic
