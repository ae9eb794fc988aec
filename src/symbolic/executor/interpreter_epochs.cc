// SPDX-License-Identifier: Apache-2.0

// Where an epoch begins and ends.
//
// A thread passes a marker as long as it is decided without inputs that its loop goes on: the exit test
// at the loop's beginning is evaluated ahead, others count since the marker was last passed. Where inputs
// decide it passes only as often as --unroll says. What a thread does at a marker is part of the
// schedule, so every rule here is right; good ones give few and short schedules (COVER section 5).

#include <algorithm>

#include "symbolic/executor/interpreter.h"

namespace foretell::symbolic {

using program::CodeInstruction;
using program::Operation;

void Interpreter::resume() {
  memory_ = start_.state->memory;
  synchronization_ = start_.state->synchronization;
  synchronization_.attach(memory_);
  synchronization_.begin_epoch();
  threads_ = start_.state->threads;
  globals_ = start_.state->globals;
  const auto evaluate = [&](Value& value) {
    if (value.term) value.bits = values_.value_of(*value.term).low();
  };
  for (uint32_t object = 1; object < memory_.size(); object++) {
    if (memory_[ObjectNumber{object}].absent_if)
      memory_[ObjectNumber{object}].is_absent =
          values_.is_true(*memory_[ObjectNumber{object}].absent_if);
    for (auto& [offset, value] : memory_[ObjectNumber{object}].cells) {
      evaluate(value);
      for (uint64_t i = 0; value.term && i < (value.width + 7u) / 8; i++)
        memory_[ObjectNumber{object}].bytes[offset + i] =
            static_cast<uint8_t>(value.bits >> (8 * i));
    }
  }
  for (uint32_t t = 0; t < threads_.size(); t++) {
    Thread& thread = threads_[t];
    uint32_t caller = ~0u;
    for (Frame& frame : thread.frames) {
      frame.serial = static_cast<uint32_t>(path_.frames.size());
      path_.frames.push_back({frame.function, t, caller});
      caller = frame.serial;
      for (Value& value : frame.registers) evaluate(value);
    }
    evaluate(thread.exit_value);
    thread.visits.clear();
    thread.long_loop = {};
    thread.decided_by_input_at = 0;
    if (thread.is_done && thread.is_joined) synchronization_.free_number(t);
    if (!thread.has_request) continue;
    if (thread.request.stops) thread.visits[thread.request.instruction] = {};
    thread.request.stops = false;
    if (thread.request.kind == SyncKind::marker) {
      thread.has_request = false;
      if (facts_.markers().reading(thread.request.instruction))
        thread.passed_reading = thread.request.instruction;
    } else
      thread.request_detail =
          add_detail({.is_kept = true, .kept_operands = thread.request_operands});
  }
}

// A verified run has its own values, whatever they are.
void Interpreter::settle_opaque() {
  memory_.settle_opaque();
  for (Thread& thread : threads_)
    for (Frame& frame : thread.frames)
      for (Value& value : frame.registers)
        if (value.kind == Value::Kind::integer) value.opaque = false;
}

ProgramState Interpreter::take_state() {
  memory_.set_reveal(nullptr);
  return {std::move(memory_), std::move(synchronization_), std::move(threads_),
          std::move(globals_)};
}

Interpreter::Flow Interpreter::arrive_at_marker(uint32_t t, const CodeInstruction& marker) {
  Thread& thread = threads_[t];
  thread.request = {.kind = SyncKind::marker,
                    .instruction = marker.id,
                    .stops = should_stop(t, marker.id, false)};
  thread.request_call = &marker;
  thread.request_operands.clear();
  thread.request_detail = add_detail({.is_kept = true});
  thread.has_request = true;
  return Flow::goes_on;
}

bool Interpreter::should_stop(uint32_t t, uint32_t instruction, bool is_barrier) {
  Thread& thread = threads_[t];
  const auto& nodes = synchronization_.nodes()[t];
  if (start_.guide) {
    const bool is_known = t < start_.guide->threads.size();
    const bool has_next = is_known && nodes.size() < start_.guide->threads[t].size();
    if (!has_next) return true;
    const Node& next = start_.guide->threads[t][nodes.size()];
    return next.instruction != instruction ||
           next.kind != (is_barrier ? NodeKind::arrive : NodeKind::marker);
  }
  if (facts_.markers().reading(instruction)) {
    const Frame& frame = top(t);
    const bool is_new = std::ranges::any_of(frame.registers, [&](const Value& value) {
      return value.opaque && value.kind == Value::Kind::integer && value.origin == instruction + 1;
    });
    return is_new || nodes.size() >= 2 * uint64_t{limits_.epoch_length};
  }
  const auto [at, is_first] = thread.visits.try_emplace(instruction);
  Thread::Visit& visit = at->second;
  const Ahead ahead = is_barrier ? Ahead::nothing : look_ahead(t);
  const bool by_input =
      ahead == Ahead::open || (ahead == Ahead::nothing && thread.decided_by_input_at > visit.at);
  if (by_input ? visit.passes + 1 >= limits_.unroll
               : !is_first && nodes.size() >= limits_.epoch_length)
    return true;
  if (by_input) visit.passes++;
  visit.at = path_.steps.size();
  return false;
}

// What the test at the beginning of a loop will say, if it is one that only computes.
Interpreter::Ahead Interpreter::look_ahead(uint32_t t) {
  Frame frame = top(t);
  const auto& instructions = code_.functions[frame.function].blocks[frame.block].instructions;
  for (size_t i = frame.next; i < instructions.size(); i++) {
    const CodeInstruction& instruction = instructions[i];
    switch (instruction.operation) {
      case Operation::phi:
        continue;
      case Operation::branch:
      case Operation::select_case: {
        if (!facts_.markers().decides_loop(frame.function, frame.block)) return Ahead::nothing;
        const Value decides = value_of(instruction.operands[0], frame);
        return decides.term || decides.opaque ? Ahead::open : Ahead::decided;
      }
      case Operation::load: {
        const Value address = value_of(instruction.operands[0], frame);
        if (address.kind != Value::Kind::pointer || address.object == kNullObject || address.term ||
            address.opaque || memory_[address.object].argument ||
            instruction.bytes > memory_[address.object].size ||
            address.bits > memory_[address.object].size - instruction.bytes)
          return Ahead::nothing;
        set(frame, instruction,
            loaded(instruction, memory_.load(address.object, address.bits, instruction.bytes)));
        continue;
      }
      case Operation::udiv:
      case Operation::urem:
      case Operation::sdiv:
      case Operation::srem:
      case Operation::alloca_:
      case Operation::store:
      case Operation::call:
      case Operation::jump:
      case Operation::give_back:
      case Operation::unreachable:
      case Operation::unsupported:
        return Ahead::nothing;
      default:
        set(frame, instruction, compute(instruction, frame));
    }
  }
  return Ahead::nothing;
}

}  // namespace foretell::symbolic
