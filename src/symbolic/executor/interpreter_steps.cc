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
    if (divisor.bits == 0)
      return fail(instruction, "division by zero",
                  divisor.term ? context_.logical_not(arithmetic_.condition_of(divisor))
                               : context_.boolean(true));
  }
  Value result = compute(instruction, frame);
  if (instruction.operation == Operation::choose && result.is_address()) {
    // No term chooses between addresses: this path is about one of them.
    const Value chooser = value_of(instruction.operands[0], frame);
    Detail detail;
    if (chooser.opaque) detail.opaque = "this choice depends on inputs in a way no term expresses";
    if (chooser.term && !result.term) {
      const smt::Expr holds = arithmetic_.condition_of(chooser);
      detail.conditions.push_back(chooser.bits != 0 ? holds : context_.logical_not(holds));
    }
    const uint32_t number_of = add_detail(std::move(detail));
    path_.steps.back().detail = number_of;
  }
  set(frame, instruction, std::move(result));
  return Flow::goes_on;
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
    case Operation::pointer_to_integer:
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

// --- Control -------------------------------------------------------------------------------------

Interpreter::Flow Interpreter::enter_block(uint32_t thread, uint32_t to) {
  Frame& frame = top(thread);
  const uint32_t from = frame.block;
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
  return Flow::goes_on;
}

Interpreter::Flow Interpreter::go(uint32_t thread, const CodeInstruction& instruction, uint32_t to,
                                  const Value& decided_by, smt::Expr condition) {
  Frame& frame = top(thread);
  const bool fails = facts_.is_failing_edge(frame.function, frame.block, to) &&
                     !facts_.successors(frame.function, frame.block).empty();
  if (fails && !may_fail_ && (decided_by.term || !path_.conditions.empty()))
    return fail(instruction, "the program ends itself",
                decided_by.term ? condition : context_.boolean(true));
  Step& step = record(instruction, frame.serial);
  if (decided_by.term || decided_by.opaque) {
    Detail detail;
    if (decided_by.term) detail.conditions.push_back(condition);
    if (decided_by.opaque)
      detail.opaque = "this branch depends on inputs in a way no term expresses";
    const uint32_t number_of = add_detail(std::move(detail));
    step.detail = number_of;
  }
  return enter_block(thread, to);
}

Interpreter::Flow Interpreter::execute_branch(uint32_t thread, const CodeInstruction& instruction) {
  const Value decided_by = value_of(instruction.operands[0], top(thread));
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
  step.choice = call.result == program::kNoRegister ? 0 : call.result + 1;
  if (!instruction.operands.empty()) set(top(thread), call, result);
  return Flow::goes_on;
}

Interpreter::Flow Interpreter::execute_call(uint32_t thread, const CodeInstruction& instruction) {
  Frame& frame = top(thread);
  const Value callee = value_of(instruction.operands[0], frame);
  if (callee.kind != Value::Kind::function || callee.opaque)
    return fail(instruction, "calls a function through a pointer that does not point to one",
                context_.boolean(true));
  const uint32_t function = number(callee.object);
  const program::CodeFunction& code = code_.functions[function];
  if (const auto kind = sync_kind_of(code.name)) return request(thread, instruction, *kind);
  if (code.blocks.empty()) return Library(*this, thread, instruction).call(code.name);
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
  return Flow::goes_on;
}

// --- Memory --------------------------------------------------------------------------------------

Interpreter::Flow Interpreter::execute_memory(uint32_t thread, const CodeInstruction& instruction) {
  Frame& frame = top(thread);
  if (instruction.operation == Operation::alloca_) {
    const Value count = value_of(instruction.operands[0], frame);
    if (count.term || count.opaque)
      note(NoteKind::concretized, true, instruction, "the size of a local array depends on inputs");
    record(instruction, frame.serial);
    const ObjectNumber slot =
        memory_.add({.name = fmt::format("a local of {}", code_.functions[frame.function].name),
                     .size = instruction.bytes * count.bits,
                     .abstract = instruction.objects});
    frame.slots.push_back(slot);
    set(frame, instruction, Value::pointer(slot, 0));
    return Flow::goes_on;
  }
  const bool loads = instruction.operation == Operation::load;
  const Value address = value_of(instruction.operands[loads ? 0 : 1], frame);
  Detail detail;
  if (!resolve(instruction, address, instruction.bytes, detail)) return Flow::stops;
  if (loads) {
    Value value = load_anywhere(address, instruction.bytes, detail);
    if (instruction.makes_real && value.kind == Value::Kind::integer) {
      value.opaque |= value.term.has_value();
      value.term.reset();
      value.kind = Value::Kind::real;
    }
    if (instruction.makes_pointer && value.kind == Value::Kind::integer)
      value.kind = Value::Kind::pointer;
    if (!value.is_address() && value.width != instruction.width && instruction.width != 0) {
      value = arithmetic_.resize(Operation::truncate, value, instruction.width);
    }
    set(frame, instruction, std::move(value));
  } else {
    Value value = value_of(instruction.operands[0], frame);
    // A bool is stored as a byte.
    if (value.width % 8 != 0)
      value = arithmetic_.resize(Operation::zero_extend, value,
                                 static_cast<uint8_t>(instruction.bytes * 8));
    if (!store_anywhere(address, instruction.bytes, value, detail)) return Flow::stops;
  }
  const uint32_t number_of = add_detail(std::move(detail));
  record(instruction, frame.serial).detail = number_of;
  return Flow::goes_on;
}

bool Interpreter::resolve(const CodeInstruction& instruction, const Value& address, uint64_t bytes,
                          Detail& detail) {
  if (address.opaque) {
    detail.opaque = "this address depends on inputs in a way no term expresses";
  }
  if (address.kind != Value::Kind::pointer || address.object == kNullObject) {
    fail(instruction,
         address.bits == 0 ? "access through a null pointer" : "access through a bad pointer",
         context_.boolean(true));
    return false;
  }
  const Object& object = memory_[address.object];
  if (object.is_absent) {
    fail(instruction, fmt::format("{} was not given", object.name), *object.absent_if);
    return false;
  }
  if (object.is_freed) {
    fail(instruction, fmt::format("access to {} after its life", object.name),
         context_.boolean(true));
    return false;
  }
  if (address.bits <= object.size && bytes <= object.size - address.bits) return true;
  if (object.argument) {
    refuse(instruction, fmt::format("only {} bytes of {} are modeled", object.size, object.name));
    return false;
  }
  std::optional<smt::Expr> because = context_.boolean(true);
  if (address.term)
    because = context_.ult(context_.constant(64, object.size - std::min(bytes, object.size)),
                           *address.term);
  fail(instruction, fmt::format("access outside of {}", object.name), because);
  return false;
}

// At an address that depends on inputs every element is possible: the value is a choice between all.
Value Interpreter::load_anywhere(const Value& address, uint64_t bytes, Detail& detail) {
  const Object& object = memory_[address.object];
  constexpr uint64_t kMostElements = 64;
  const uint64_t first = address.bits % bytes;
  const bool choosable = address.term && !object.argument && bytes <= 8 &&
                         (object.size - first) / bytes <= kMostElements;
  if (!choosable) {
    pin(address, detail, "this address");
    detail.reads.push_back({address.object, address.bits, address.bits + bytes});
    if (object.argument) {
      Value value = Value::integer(static_cast<uint8_t>(bytes * 8), 0);
      std::optional<smt::Expr> term;
      for (uint64_t i = 0; i < bytes; i++) {
        const uint64_t at = address.bits + i;
        const smt::Expr byte = at + 1 == object.size
                                   ? context_.constant(8, 0)
                                   : inputs_.find(InputKind::argument_byte, *object.argument,
                                                  static_cast<uint32_t>(at));
        value.bits |= values_.value_of(byte).low() << (8 * i);
        term = term ? context_.concat(byte, *term) : byte;
      }
      if (!term->is_constant()) value.term = term;
      return value;
    }
    return memory_.load(address.object, address.bits, bytes);
  }
  detail.reads.push_back({address.object, 0, object.size});
  Value value = memory_.load(address.object, address.bits, bytes);
  smt::Expr term = arithmetic_.term_of(value);
  for (uint64_t at = first; at + bytes <= object.size; at += bytes) {
    const Value element = memory_.load(address.object, at, bytes);
    value.opaque |= element.opaque || element.is_address() || element.kind == Value::Kind::real;
    if (at == address.bits || value.opaque) continue;
    term = context_.ite(context_.equal(*address.term, context_.constant(64, at)),
                        arithmetic_.term_of(element), term);
  }
  if (value.opaque) {
    // Addresses cannot be chosen by a term: this path is about one element.
    value = memory_.load(address.object, address.bits, bytes);
    pin(address, detail, "this address");
    return value;
  }
  if (!term.is_constant()) value.term = term;
  return value;
}

bool Interpreter::store_anywhere(const Value& address, uint64_t bytes, const Value& value,
                                 Detail& detail) {
  if (address.kind != Value::Kind::pointer || address.object == kNullObject) return false;
  Object& object = memory_[address.object];
  if (address.bits + bytes > object.size) return false;
  constexpr uint64_t kMostElements = 64;
  const uint64_t first = address.bits % bytes;
  if (!address.term || value.is_address() || value.kind == Value::Kind::real || value.opaque ||
      bytes > 8 || (object.size - first) / bytes > kMostElements) {
    pin(address, detail, "this address");
    detail.writes.push_back({address.object, address.bits, address.bits + bytes});
    memory_.store(address.object, address.bits, bytes, value);
    return true;
  }
  detail.is_weak = true;
  detail.writes.push_back({address.object, 0, object.size});
  for (uint64_t at = first; at + bytes <= object.size; at += bytes) {
    Value old = memory_.load(address.object, at, bytes);
    if (old.is_address() || old.kind == Value::Kind::real) old.opaque = true;
    Value element = old;
    if (at == address.bits) element.bits = value.bits;
    element.kind = Value::Kind::integer;
    if (!element.opaque) {
      element.term = context_.ite(context_.equal(*address.term, context_.constant(64, at)),
                                  arithmetic_.term_of(value), arithmetic_.term_of(old));
      if (element.term->is_constant()) element.term.reset();
    }
    memory_.store(address.object, at, bytes, element);
  }
  return true;
}

// --- Synchronization -----------------------------------------------------------------------------

Interpreter::Flow Interpreter::request(uint32_t t, const CodeInstruction& instruction,
                                       SyncKind kind) {
  Thread& thread = threads_[t];
  Frame& frame = thread.frames.back();
  SyncRequest made{.kind = kind, .instruction = instruction.id};
  Detail detail{.is_kept = true};
  const auto argument = [&](uint32_t i) { return value_of(instruction.operands[i], frame); };
  const auto add_object = [&](uint32_t i) {
    const Value at = argument(i);
    detail.kept_operands.push_back(i);
    if (!resolve(instruction, at, 1, detail)) return false;
    pin(at, detail, "the object of this operation");
    made.objects.emplace_back(at.object, at.bits);
    return true;
  };
  switch (kind) {
    case SyncKind::pthread_create: {
      detail.kept_operands.push_back(3);
      if (argument(3).kind != Value::Kind::function)
        return refuse(instruction, "the start function of a thread is not known");
      if (code_.functions[number(argument(3).object)].blocks.empty())
        return refuse(instruction, "a thread begins in a function without code");
      break;
    }
    case SyncKind::pthread_join: {
      detail.kept_operands.push_back(1);
      const auto of = thread_of(pin(argument(1), detail, "the thread to join"));
      made.number = of ? *of : ~uint64_t{0};
      break;
    }
    case SyncKind::pthread_exit:
      thread.exit_value = argument(1);
      break;
    case SyncKind::process_exit:
    case SyncKind::thread_return:
      break;
    case SyncKind::pthread_cond_wait:
      if (!add_object(1) || !add_object(2)) return Flow::stops;
      break;
    case SyncKind::pthread_barrier_init:
    case SyncKind::sem_init:
      if (!add_object(1)) return Flow::stops;
      detail.kept_operands.push_back(3);
      made.number = pin(argument(3), detail, "this count");
      break;
    default:
      if (!add_object(1)) return Flow::stops;
  }
  if (!detail.opaque.empty()) note(NoteKind::unmodeled, true, instruction, detail.opaque);
  thread.request = std::move(made);
  thread.request_call = &instruction;
  thread.request_detail = add_detail(std::move(detail));
  thread.has_request = true;
  // What only prepares an object waits for nobody.
  if (!is_ordered(kind)) finish_request(t);
  return is_over_ ? Flow::stops : Flow::goes_on;
}

}  // namespace foretell::symbolic
