// SPDX-License-Identifier: Apache-2.0

// The interpreter's branches, calls and returns.

#include <fmt/format.h>

#include <algorithm>

#include "symbolic/executor/interpreter.h"
#include "symbolic/executor/library.h"

namespace foretell::symbolic {

using program::CodeInstruction;
using program::Operation;

Interpreter::Flow Interpreter::enter_block(uint32_t thread, uint32_t to) {
  Frame& frame = top(thread);
  const uint32_t from = frame.block;
  watch_loop(thread, to);
  frame.block = to;
  frame.next = 0;
  std::vector<std::pair<const CodeInstruction*, Value>> taken;
  for (const CodeInstruction& phi : code_.functions[frame.function].blocks[to].instructions) {
    if (phi.operation != Operation::phi) break;
    const auto way =
        static_cast<uint32_t>(std::ranges::find(phi.targets, from) - phi.targets.begin());
    taken.emplace_back(&phi, value_of(phi.operands[way], frame));
    record(phi, frame.serial).choice = way;
  }
  for (auto& [phi, value] : taken) set(frame, *phi, std::move(value));
  if (is_too_long(thread) && skip_loop(thread)) return Flow::goes_on;
  if (const auto* marker = facts_.markers().at(frame.function, to))
    return arrive_at_marker(thread, *marker);
  return Flow::goes_on;
}

Interpreter::Flow Interpreter::go(uint32_t thread, const CodeInstruction& instruction, uint32_t to,
                                  const Value& decided_by, smt::Expr condition) {
  Frame& frame = top(thread);
  const auto& others = facts_.successors(frame.function, frame.block);
  const bool fails = facts_.is_failing_edge(frame.function, frame.block, to) && !others.empty();
  // What no term expresses may have any value. One with which the program goes on is as good.
  if (fails && decided_by.opaque) to = others.front();
  if (fails && !decided_by.opaque && !may_fail_ && (decided_by.term || !path_.conditions.empty()))
    return fail(instruction, "the program ends itself",
                decided_by.term ? condition : context_.boolean(true));
  Step& step = record(instruction, frame.serial);
  if (decided_by.term || decided_by.opaque) {
    Detail detail;
    if (decided_by.term) detail.conditions.push_back(condition);
    if (decided_by.opaque) {
      detail.opaque = "this branch depends on inputs in a way no term expresses";
      detail.origin = decided_by.origin;
    }
    const uint32_t number_of = add_detail(std::move(detail));
    step.detail = number_of;
  }
  return enter_block(thread, to);
}

Interpreter::Flow Interpreter::execute_branch(uint32_t thread, const CodeInstruction& instruction) {
  const Value decided_by = value_of(instruction.operands[0], top(thread));
  if ((decided_by.term || decided_by.opaque) &&
      facts_.markers().decides_loop(top(thread).function, top(thread).block))
    threads_[thread].decided_by_input_at = path_.steps.size() + 1;
  if (instruction.operation == Operation::branch) {
    const smt::Expr holds = arithmetic_.condition_of(decided_by);
    return go(thread, instruction, instruction.targets[decided_by.bits != 0 ? 0 : 1], decided_by,
              decided_by.bits != 0 ? holds : context_.logical_not(holds));
  }
  uint32_t to = instruction.targets[0];
  for (size_t i = 0; i < instruction.cases.size(); i++)
    if (instruction.cases[i] == decided_by.bits) to = instruction.targets[i + 1];
  // All cases that go to one place are one condition.
  std::vector<smt::Expr> here;
  std::vector<smt::Expr> elsewhere;
  const smt::Expr term = arithmetic_.term_of(decided_by);
  for (size_t i = 0; i < instruction.cases.size(); i++) {
    const smt::Expr is_case =
        context_.equal(term, context_.constant(decided_by.width, instruction.cases[i]));
    (instruction.targets[i + 1] == to ? here : elsewhere).push_back(is_case);
  }
  const smt::Expr condition = to == instruction.targets[0]
                                  ? context_.logical_not(context_.logical_or(elsewhere))
                                  : context_.logical_or(here);
  return go(thread, instruction, to, decided_by, condition);
}

Interpreter::Flow Interpreter::execute_return(uint32_t thread, const CodeInstruction& instruction) {
  Frame& frame = top(thread);
  Value result;
  if (!instruction.operands.empty()) result = value_of(instruction.operands[0], frame);
  if (path_.frames[frame.serial].caller == ~0u) {
    threads_[thread].exit_value = result;
    threads_[thread].exit_status = static_cast<int>(result.bits & 0xff);
    return request(thread, instruction,
                   thread == 0 ? SyncKind::process_exit : SyncKind::thread_return);
  }
  Step& step = record(instruction, frame.serial);
  for (ObjectNumber slot : frame.slots) memory_[slot].is_freed = true;
  const CodeInstruction& call = *frame.call;
  threads_[thread].frames.pop_back();
  if (threads_[thread].long_loop.depth > threads_[thread].frames.size())
    threads_[thread].long_loop.is_open = false;
  step.choice = call.result == program::kNoRegister ? 0 : call.result + 1;
  if (!instruction.operands.empty()) set(top(thread), call, result);
  return Flow::goes_on;
}

Interpreter::Flow Interpreter::execute_call(uint32_t thread, const CodeInstruction& instruction) {
  Frame& frame = top(thread);
  const Value callee = value_of(instruction.operands[0], frame);
  if (callee.is_unknown_address())
    return refuse(instruction, "it is not known which function is called when the epoch begins");
  if (callee.kind != Value::Kind::function || callee.opaque)
    return fail(instruction, "calls a function through a pointer that does not point to one",
                context_.boolean(true));
  const uint32_t function = number(callee.object);
  const program::CodeFunction& code = code_.functions[function];
  if (const auto kind = sync_kind_of(code.name)) return request(thread, instruction, *kind);
  if (code.blocks.empty()) return Library(*this, thread, instruction).call(code);
  std::vector<Value> arguments;
  for (size_t i = 1; i < instruction.operands.size(); i++)
    arguments.push_back(value_of(instruction.operands[i], frame));
  if (code.is_variadic)
    return refuse(instruction, fmt::format("{} takes a variable number of arguments", code.name));
  if (threads_[thread].frames.size() > 10'000)
    return refuse(instruction, fmt::format("{} recurses too deeply", code.name));
  Frame called = make_frame(function, thread, frame.serial, arguments);
  called.call = &instruction;
  record(instruction, frame.serial).choice = called.serial + 1;
  threads_[thread].frames.push_back(std::move(called));
  if (const auto* marker = facts_.markers().at(function, 0))
    return arrive_at_marker(thread, *marker);
  return Flow::goes_on;
}

}  // namespace foretell::symbolic
