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
  if (start_.state) {
    resume();
  } else {
    make_globals();
    start_main();
  }
  for (const Thread& thread : threads_) path_.schedule.participants += !thread.is_done;
  if (start_.guide) settle_opaque();
  memory_.set_reveal([this](ObjectNumber object, uint64_t offset, uint64_t bytes) {
    const smt::Expr input = inputs_.find_bytes(start_.epoch, number(object), offset, bytes);
    Value value = Value::integer(static_cast<uint8_t>(bytes * 8), values_.value_of(input).low());
    value.term = input;
    return value;
  });
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

Frame Interpreter::make_frame(uint32_t function, uint32_t thread, uint32_t caller,
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

// As Value::origin has it.
uint32_t Interpreter::next_instruction(const Frame& frame) const {
  return code_.functions[frame.function].blocks[frame.block].instructions[frame.next].id + 1;
}

void Interpreter::set(Frame& frame, const CodeInstruction& instruction, Value value) {
  if (instruction.result == program::kNoRegister) return;
  if (!value.is_address() && instruction.width != 0) value.width = instruction.width;
  if (value.opaque && value.kind == Value::Kind::integer) {
    if (value.origin == 0) value.origin = next_instruction(frame);
    if (value.mark == 0) value.mark = memory_.new_mark();
  }
  frame.registers[instruction.result] = std::move(value);
}

uint64_t Interpreter::pin(const Value& value, Detail& detail, const char* what) {
  if (value.opaque) {
    detail.opaque = fmt::format("{} depends on inputs in a way no term expresses", what);
    detail.origin = value.origin;
  }
  if (value.term) {
    const smt::Expr here = context_.equal(*value.term, context_.constant(value.width, value.bits));
    if (!here.is_true()) detail.conditions.push_back(here);
  }
  return value.bits;
}

}  // namespace foretell::symbolic
