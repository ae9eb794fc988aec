// SPDX-License-Identifier: Apache-2.0

// The interpreter's instructions.

#include <fmt/format.h>

#include <algorithm>

#include "symbolic/executor/interpreter.h"
#include "symbolic/executor/library.h"
#include "symbolic/executor/thread_handles.h"

namespace foretell::symbolic {

using program::CodeInstruction;
using program::Operand;
using program::Operation;

Interpreter::Flow Interpreter::execute(uint32_t thread) {
  Frame& frame = top(thread);
  const CodeInstruction& instruction =
      code_.functions[frame.function].blocks[frame.block].instructions[frame.next];
  if (const auto* reading = facts_.markers().reading(instruction.id);
      reading && threads_[thread].passed_reading != instruction.id)
    return arrive_at_marker(thread, *reading);
  threads_[thread].passed_reading = ~0u;
  frame.next++;
  switch (instruction.operation) {
    case Operation::phi:  // done on entering the block
      return Flow::goes_on;
    case Operation::alloca_:
    case Operation::load:
    case Operation::store:
      return execute_memory(thread, instruction);
    case Operation::jump:
      record(instruction, frame.serial);
      return enter_block(thread, instruction.targets[0]);
    case Operation::branch:
    case Operation::select_case:
      return execute_branch(thread, instruction);
    case Operation::call:
      return execute_call(thread, instruction);
    case Operation::give_back:
      return execute_return(thread, instruction);
    case Operation::unreachable:
      return fail(instruction, "comes to code that the compiler takes for unreachable",
                  context_.boolean(true));
    case Operation::unsupported:
      return refuse(instruction, fmt::format("not modeled: {}", instruction.text));
    default:
      break;
  }
  record(instruction, frame.serial);
  if (instruction.operation == Operation::udiv || instruction.operation == Operation::urem ||
      instruction.operation == Operation::sdiv || instruction.operation == Operation::srem) {
    const Value divisor = value_of(instruction.operands[1], frame);
    if (divisor.bits == 0 && !divisor.opaque)
      return fail(instruction, "division by zero",
                  divisor.term ? context_.logical_not(arithmetic_.condition_of(divisor))
                               : context_.boolean(true));
  }
  Value result = compute(instruction, frame);
  if (auto aligned = aligned_address(instruction, frame)) result = *aligned;
  if (instruction.operation == Operation::choose && result.is_address()) {
    // No term chooses between addresses: this path is about one of them.
    const Value chooser = value_of(instruction.operands[0], frame);
    Detail detail;
    if (chooser.opaque) {
      detail.opaque = "this choice depends on inputs in a way no term expresses";
      detail.origin = chooser.origin;
    }
    if (chooser.term && !result.term) {
      const smt::Expr holds = arithmetic_.condition_of(chooser);
      detail.conditions.push_back(chooser.bits != 0 ? holds : context_.logical_not(holds));
    }
    const uint32_t number_of = add_detail(std::move(detail));
    path_.steps.back().detail = number_of;
  }
  if (result.opaque && instruction.operation != Operation::choose) {
    // It could be read where its operands could.
    result.mark = instruction.operation == Operation::freeze ? result.mark : 0;
    result.origin = 0;
    for (const Operand& operand : instruction.operands)
      if (const Value from = value_of(operand, frame); from.opaque && result.origin == 0)
        result.origin = from.origin;
  }
  set(frame, instruction, std::move(result));
  return Flow::goes_on;
}

// Of an object whose alignment is known, what makes an address one of a page or a cache line.
std::optional<Value> Interpreter::aligned_address(const CodeInstruction& instruction,
                                                  const Frame& frame) {
  if (instruction.operation != Operation::urem && instruction.operation != Operation::bit_and)
    return {};
  const Value address = value_of(instruction.operands[0], frame);
  const Value by = value_of(instruction.operands[1], frame);
  if (address.kind != Value::Kind::pointer || address.object == kNullObject || address.opaque ||
      address.term || by.kind != Value::Kind::integer || by.term || by.opaque)
    return {};
  const uint64_t alignment = memory_[address.object].alignment;
  if (instruction.operation == Operation::urem) {
    if (by.bits == 0 || alignment % by.bits != 0) return {};
    return Value::integer(64, address.bits % by.bits);
  }
  const bool is_low = (by.bits & (by.bits + 1)) == 0;
  const uint64_t unit = is_low ? by.bits + 1 : ~by.bits + 1;
  if (unit == 0 || (unit & (unit - 1)) != 0) return {};
  if (is_low) {
    if (alignment % unit != 0) return {};
    return Value::integer(64, address.bits & by.bits);
  }
  Value result = address;
  result.bits &= by.bits;
  // Somewhere in the same object, but where depends on where it lies.
  result.opaque = alignment % unit != 0;
  return result;
}

// A pointer to what may be absent, compared with null.
std::optional<Value> Interpreter::null_test(const CodeInstruction& instruction, const Value& a,
                                            const Value& b) {
  const Value& pointer = a.is_null() ? b : a;
  if (!(a.is_null() || b.is_null()) || pointer.kind != Value::Kind::pointer) return {};
  const Object& object = memory_[pointer.object];
  if (!object.absent_if ||
      (instruction.operation != Operation::equal && instruction.operation != Operation::not_equal))
    return {};
  Value result =
      Value::integer(1, object.is_absent == (instruction.operation == Operation::equal) ? 1 : 0);
  const smt::Expr is_null = *object.absent_if;
  result.term = context_.ite(
      instruction.operation == Operation::equal ? is_null : context_.logical_not(is_null),
      context_.constant(1, 1), context_.constant(1, 0));
  return result;
}

Value Interpreter::compute(const CodeInstruction& instruction, const Frame& frame) {
  const auto operand = [&](size_t i) { return value_of(instruction.operands[i], frame); };
  switch (instruction.operation) {
    case Operation::equal:
    case Operation::not_equal:
    case Operation::ult:
    case Operation::ule:
    case Operation::slt:
    case Operation::sle: {
      const Value a = operand(0), b = operand(1);
      if (auto tested = null_test(instruction, a, b)) return *tested;
      return arithmetic_.compare(instruction.operation, a, b);
    }
    case Operation::zero_extend:
    case Operation::sign_extend:
    case Operation::truncate:
      return arithmetic_.resize(instruction.operation, operand(0), instruction.width);
    case Operation::pointer_to_integer: {
      Value value = operand(0);
      if (value.object == kNullObject && value.kind == Value::Kind::pointer)
        value.kind = Value::Kind::integer;
      return value;
    }
    case Operation::freeze:
      return operand(0);
    case Operation::integer_to_pointer: {
      Value value = operand(0);
      if (!value.is_address()) value.kind = Value::Kind::pointer;
      return value;
    }
    case Operation::choose:
      return arithmetic_.choose(operand(0), operand(1), operand(2));
    case Operation::real: {
      const Value a = operand(0);
      return arithmetic_.real(instruction, a, instruction.operands.size() > 1 ? operand(1) : a);
    }
    case Operation::address: {
      Value at = arithmetic_.shifted(operand(0),
                                     Value::integer(64, static_cast<uint64_t>(instruction.offset)));
      for (size_t i = 0; i < instruction.scales.size(); i++) {
        const Value index = arithmetic_.resize(Operation::sign_extend, operand(i + 1), 64);
        at = arithmetic_.shifted(
            at,
            arithmetic_.binary(Operation::multiply, index,
                               Value::integer(64, static_cast<uint64_t>(instruction.scales[i]))));
      }
      return at;
    }
    default:
      return arithmetic_.binary(instruction.operation, operand(0), operand(1));
  }
}

}  // namespace foretell::symbolic
