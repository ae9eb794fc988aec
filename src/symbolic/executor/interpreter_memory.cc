// SPDX-License-Identifier: Apache-2.0

// The interpreter's loads and stores.

#include <fmt/format.h>

#include <algorithm>

#include "symbolic/executor/interpreter.h"

namespace foretell::symbolic {

using program::CodeInstruction;
using program::Operation;

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
  if (address.is_unknown_address() || is_wild(address, instruction.bytes)) {
    // Nothing is known of what is there, and a store leaves a mark on nothing in this run: the slice
    // says which memory it may have written.
    detail.opaque = address.is_unknown_address()
                        ? "this address is not known when the epoch begins"
                        : "this address depends on inputs in a way no term expresses";
    detail.origin = address.origin;
    detail.is_weak = true;
    if (loads) set(frame, instruction, unknown_of(instruction));
  } else if (!resolve(instruction, address, instruction.bytes, detail)) {
    return Flow::stops;
  } else if (loads) {
    Value value = loaded(instruction, load_anywhere(address, instruction.bytes, detail));
    if (value.kind == Value::Kind::integer) value.origin = next_instruction(frame);
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

Value Interpreter::unknown_of(const CodeInstruction& instruction) const {
  if (instruction.makes_pointer) return Value::unknown_address(true);
  Value value = Value::integer(instruction.width, 0);
  if (instruction.makes_real) value.kind = Value::Kind::real;
  value.opaque = true;
  return value;
}

// What was in memory, as the kind of value that the instruction makes.
Value Interpreter::loaded(const CodeInstruction& instruction, Value value) const {
  if (instruction.makes_real && value.kind == Value::Kind::integer) {
    value.opaque |= value.term.has_value();
    value.term.reset();
    value.kind = Value::Kind::real;
  }
  if (instruction.makes_pointer && value.kind == Value::Kind::integer) {
    if (value.term || value.opaque) return Value::unknown_address(value.bits == 0);
    value.kind = Value::Kind::pointer;
  }
  if (!value.is_address() && value.width != instruction.width && instruction.width != 0)
    value = arithmetic_.resize(Operation::truncate, value, instruction.width);
  return value;
}

// Somewhere in an object, perhaps: the offset of this run is as good as any other, and it is outside.
bool Interpreter::is_wild(const Value& address, uint64_t bytes) const {
  if (!address.opaque || address.kind != Value::Kind::pointer) return false;
  if (address.object == kNullObject) return true;
  const Object& object = memory_[address.object];
  return object.is_absent || object.is_freed || address.bits > object.size ||
         bytes > object.size - address.bits;
}

bool Interpreter::resolve(const CodeInstruction& instruction, const Value& address, uint64_t bytes,
                          Detail& detail) {
  if (address.opaque) {
    detail.opaque = "this address depends on inputs in a way no term expresses";
    detail.origin = address.origin;
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

}  // namespace foretell::symbolic
