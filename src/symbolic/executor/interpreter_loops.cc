// SPDX-License-Identifier: Apache-2.0

// Loops that do not synchronize and take long: they are left before their end, and all that they may write
// is opaque from then on.
//
// Nearly always nothing of it is in the slice. What is in it is read where it is used (epochs/markers.h), so
// a loop of any length is a value that the constrained program publishes: no abstraction has to be written
// by hand (COVER 4.2). Steps of the loop leave the trace: what stands for them may do all that they did.

#include <fmt/format.h>

#include <algorithm>

#include "symbolic/executor/interpreter.h"

namespace foretell::symbolic {

using program::AbstractBytes;
using program::CodeInstruction;
using program::Operation;

void Interpreter::watch_loop(uint32_t thread, uint32_t to) {
  Thread::LongLoop& loop = threads_[thread].long_loop;
  const size_t depth = threads_[thread].frames.size();
  const uint32_t function = top(thread).function;
  if (loop.is_open) {
    loop.steps = path_.steps.size() - loop.first_step;
    if (loop.depth != depth) return;
    if (facts_.free_loop(function, loop.header)->blocks[to]) return;
    loop.is_open = false;
  }
  if (facts_.free_loop(function, to))
    loop = {.is_open = true, .depth = depth, .header = to, .first_step = path_.steps.size()};
}

// One that was too long before is not tried for long again.
bool Interpreter::is_too_long(uint32_t thread) const {
  const Thread::LongLoop& loop = threads_[thread].long_loop;
  if (!loop.is_open || limits_.loop_steps == 0) return false;
  constexpr uint64_t kShorter = 100;
  if (loop.steps <= limits_.loop_steps / kShorter) return false;
  const uint32_t function = threads_[thread].frames[loop.depth - 1].function;
  return loop.steps > limits_.loop_steps || skipped_.contains({function, loop.header});
}

void Interpreter::havoc(const std::vector<AbstractBytes>& writes, Detail& detail) {
  for (uint32_t o = 1; o < memory_.size(); o++) {
    const Object& object = memory_[ObjectNumber{o}];
    if (object.is_freed || object.is_constant || object.argument) continue;
    for (const AbstractBytes& may : writes) {
      if (std::ranges::find(object.abstract, may.object) == object.abstract.end()) continue;
      const bool is_all = may.stride != 0 || may.size == AbstractBytes::kToTheEnd;
      const uint64_t from = is_all ? 0 : std::min(may.offset, object.size);
      const uint64_t to = is_all ? object.size : std::min(may.offset + may.size, object.size);
      if (from >= to) continue;
      detail.writes.push_back({ObjectNumber{o}, from, to});
      memory_.make_opaque(ObjectNumber{o}, from, to);
    }
  }
}

void Interpreter::forget_register(uint32_t thread, const CodeInstruction& at,
                                  const CodeInstruction& defines) {
  if (defines.result == program::kNoRegister) return;
  CodeInstruction& made = path_.made.emplace_back(CodeInstruction{.operation = Operation::freeze,
                                                                  .width = defines.width,
                                                                  .result = defines.result,
                                                                  .id = at.id,
                                                                  .position = at.position});
  const uint32_t detail =
      add_detail({.opaque = "a long loop was left before its end", .origin = at.id + 1});
  record(made, top(thread).serial).detail = detail;
  Value value = unknown_of(defines);
  value.origin = at.id + 1;
  set(top(thread), made, std::move(value));
}

// False if it must be executed: it may write to memory of which nothing is known.
bool Interpreter::skip_loop(uint32_t thread) {
  Thread& self = threads_[thread];
  const Thread::LongLoop loop = self.long_loop;
  const uint32_t function = self.frames[loop.depth - 1].function;
  const ControlFacts::FreeLoop& free = *facts_.free_loop(function, loop.header);
  const auto& between = facts_.between(function, loop.header, free.end);
  const auto writes_anywhere = [](const AbstractBytes& may) { return may.object == 0; };
  if (between.synchronizes || std::ranges::any_of(between.writes, writes_anywhere)) {
    self.long_loop.is_open = false;
    return false;
  }
  skipped_.insert({function, loop.header});
  while (self.frames.size() > loop.depth) {
    for (ObjectNumber slot : self.frames.back().slots) memory_[slot].is_freed = true;
    self.frames.pop_back();
  }
  self.long_loop = {};
  path_.steps.resize(loop.first_step);
  Frame& frame = top(thread);
  frame.block = free.end;
  frame.next = 0;
  const auto& blocks = code_.functions[function].blocks;
  const auto& there = blocks[free.end].instructions;
  const CodeInstruction& at =
      *std::ranges::find_if(there, [](const auto& i) { return i.operation != Operation::phi; });
  Detail detail{.is_weak = true, .opaque = "a long loop was left before its end"};
  havoc(between.writes, detail);
  const uint32_t number_of = add_detail(std::move(detail));
  record(path_.made.emplace_back(
             CodeInstruction{.operation = Operation::freeze, .id = at.id, .position = at.position}),
         frame.serial)
      .detail = number_of;
  for (uint32_t block : facts_.blocks_between(function, loop.header, free.end))
    for (const CodeInstruction& instruction : blocks[block].instructions)
      forget_register(thread, at, instruction);
  for (const CodeInstruction& phi : there)
    if (phi.operation == Operation::phi) forget_register(thread, at, phi);
  note(NoteKind::limited, false, blocks[loop.header].instructions.back(),
       "this loop takes long and is not executed to its end: its results are read at run time "
       "where they decide something");
  if (const auto* marker = facts_.markers().at(function, free.end))
    arrive_at_marker(thread, *marker);
  return true;
}

}  // namespace foretell::symbolic
