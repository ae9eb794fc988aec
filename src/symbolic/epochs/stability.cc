// SPDX-License-Identifier: Apache-2.0

#include "symbolic/epochs/stability.h"

#include <algorithm>

namespace foretell::symbolic {

using program::CodeInstruction;
using program::Operand;
using program::Operation;

Stability::Stability(const program::Code& code, const ControlFacts& facts, const Path& path,
                     const std::vector<bool>& taken, const Memory& memory)
    : code_(code), facts_(facts), path_(path), memory_(memory) {
  for (size_t i = 0; i < path.steps.size(); i++) visit(path.steps[i], taken[i]);
}

void Stability::set(uint32_t frame, uint32_t reg, bool unstable) {
  if (reg == program::kNoRegister) return;
  if (unstable)
    registers_.insert(uint64_t{frame} << 32 | reg);
  else
    registers_.erase(uint64_t{frame} << 32 | reg);
}

void Stability::write(const Detail& detail, bool unstable) {
  for (const Range& range : detail.writes) {
    if (unstable)
      memory_unstable_[number(range.object)].add(range.begin, range.end);
    else if (const auto known = memory_unstable_.find(number(range.object));
             known != memory_unstable_.end() && !detail.is_weak)
      known->second.remove(range.begin, range.end);
  }
}

void Stability::spoil(const std::vector<program::AbstractBytes>& writes) {
  if (writes.empty()) return;
  for (uint32_t o = 1; o < memory_.size(); o++) {
    const Object& object = memory_[ObjectNumber{o}];
    for (const program::AbstractBytes& may : writes) {
      if (may.object != 0 &&
          std::ranges::find(object.abstract, may.object) == object.abstract.end())
        continue;
      if (may.object == 0 || may.stride != 0 || may.size == program::AbstractBytes::kToTheEnd)
        memory_unstable_[o].add(0, object.size);
      else
        memory_unstable_[o].add(may.offset, std::min(may.offset + may.size, object.size));
    }
  }
}

// Its ways may write all this, on whichever of them the program is.
void Stability::open_region(const Step& step, Region& region) {
  const auto [function, block] = facts_.place_of(*step.instruction);
  const uint32_t end = facts_.next_common(function, block);
  for (uint32_t to : facts_.successors(function, block)) {
    spoil(facts_.between(function, to, end).writes);
    for (uint32_t between : facts_.blocks_between(function, to, end))
      for (const CodeInstruction& instruction :
           code_.functions[function].blocks[between].instructions)
        set(step.frame, instruction.result, true);
  }
  if (!region.is_open) region = {true, step.frame, end};
}

// The step is behind the place where the ways meet.
bool Stability::close_region(const Step& step, Region& region) const {
  if (step.frame != region.frame) return false;
  const auto [function, block] = facts_.place_of(*step.instruction);
  return block == region.end_block && step.instruction->operation != Operation::phi;
}

void Stability::visit(const Step& step, bool taken) {
  const CodeInstruction& instruction = *step.instruction;
  Region& region = regions_[path_.frames[step.frame].thread];
  if (region.is_open && close_region(step, region)) region.is_open = false;
  const Detail* detail = step.detail ? &path_.details[step.detail - 1] : nullptr;
  const bool pinned = detail && (!detail->conditions.empty() || !detail->opaque.empty());
  bool unstable = region.is_open || (pinned && !taken);
  switch (instruction.operation) {
    case Operation::branch:
    case Operation::select_case:
      if (!taken && (pinned || is_unstable(step.frame, instruction.operands[0])))
        open_region(step, region);
      return;
    case Operation::call:
      return visit_call(step, unstable);
    case Operation::give_back:
      return visit_return(step, unstable);
    case Operation::phi:
      set(step.frame, instruction.result,
          unstable || is_unstable(step.frame, instruction.operands[step.choice]));
      return;
    default:
      break;
  }
  bool place_unstable = pinned && !taken;
  if (instruction.operation == Operation::store)
    place_unstable |= is_unstable(step.frame, instruction.operands[1]);
  for (const Operand& operand : instruction.operands) unstable |= is_unstable(step.frame, operand);
  if (detail)
    for (const Range& range : detail->reads)
      unstable |= !is_stable(range.object, range.begin, range.end);
  set(step.frame, instruction.result, unstable);
  if (detail) write(*detail, unstable);
  if (place_unstable) spoil(instruction.writes);
}

void Stability::visit_call(const Step& step, bool unstable) {
  const CodeInstruction& call = *step.instruction;
  const Detail* detail = step.detail ? &path_.details[step.detail - 1] : nullptr;
  if (step.choice != 0) {
    const uint32_t callee = step.choice - 1;
    const bool is_thread = path_.frames[callee].caller == ~0u;
    const uint32_t parameters = code_.functions[path_.frames[callee].function].parameters;
    for (uint32_t p = 0; p < parameters; p++) {
      const size_t at = is_thread ? 4 : p + 1;
      set(callee, p,
          unstable || (at < call.operands.size() && is_unstable(step.frame, call.operands[at])));
    }
    if (!is_thread) return;
  }
  bool spoils = unstable;
  for (const Operand& operand : call.operands) unstable |= is_unstable(step.frame, operand);
  if (detail) {
    if (detail->is_kept) unstable = false;  // all that synchronization does is in the schedule
    for (const Range& range : detail->reads)
      unstable |= !is_stable(range.object, range.begin, range.end);
    write(*detail, unstable);
    spoils |= unstable && !detail->is_kept;
  }
  set(step.frame, call.result, unstable);
  if (spoils) spoil(call.writes);
}

void Stability::visit_return(const Step& step, bool unstable) {
  const FrameRow& row = path_.frames[step.frame];
  const CodeInstruction& give_back = *step.instruction;
  if (row.caller != ~0u && step.choice != 0)
    set(row.caller, step.choice - 1,
        unstable ||
            (!give_back.operands.empty() && is_unstable(step.frame, give_back.operands[0])));
  Region& region = regions_[row.thread];
  if (region.is_open && region.frame == step.frame) region.is_open = false;
}

}  // namespace foretell::symbolic
