// SPDX-License-Identifier: Apache-2.0

#include "symbolic/slicing/precondition_slice.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>

#include "symbolic/slicing/byte_ranges.h"

namespace foretell::symbolic {

using program::AbstractBytes;
using program::CodeInstruction;
using program::Operand;
using program::Operation;

namespace {

class Slicer {
 public:
  Slicer(const program::Code& code, const ControlFacts& facts, const Path& path,
         const Memory& memory)
      : code_(code), facts_(facts), path_(path), memory_(memory) {}

  Slice run() {
    slice_.taken.resize(path_.steps.size());
    for (at_ = path_.steps.size(); at_-- > 0;) visit(path_.steps[at_]);
    std::ranges::reverse(slice_.conditions);
    return std::move(slice_);
  }

 private:
  struct Frame {
    bool seen = false;
    bool in_slice = false;
    bool has_head = false;
    uint32_t head = ControlFacts::kExit;
    // The head is the edge into its block from `edge_from`, not the block itself.
    uint32_t edge_from = ~0u;
  };

  static uint64_t key(uint32_t frame, uint32_t reg) { return uint64_t{frame} << 32 | reg; }
  bool is_live(uint32_t frame, uint32_t reg) const { return registers_.contains(key(frame, reg)); }
  void need(uint32_t frame, const Operand& operand) {
    if (operand.kind == Operand::Kind::reg) registers_.insert(key(frame, operand.index));
  }
  void need_memory(const Detail& detail) {
    for (const Range& range : detail.reads)
      memory_live_[number(range.object)].add(range.begin, range.end);
  }
  const Detail* detail_of(const Step& step) const {
    return step.detail ? &path_.details[step.detail - 1] : nullptr;
  }

  void visit(const Step& step);
  void visit_phi(const Step& step, Frame& frame);
  void visit_branch(const Step& step, Frame& frame);
  void visit_call(const Step& step, Frame& frame);
  void visit_return(const Step& step, Frame& frame);
  void visit_other(const Step& step, Frame& frame);
  void take(const Step& step, Frame& frame);
  void take_conditions(const Step& step);
  bool writes_live(const Detail& detail) const;
  void kill(const Detail& detail);
  bool depends_on(const Step& step, const Frame& frame) const;
  bool may_write_live(const std::vector<AbstractBytes>& writes) const;

  const program::Code& code_;
  const ControlFacts& facts_;
  const Path& path_;
  const Memory& memory_;
  Slice slice_;
  size_t at_ = 0;
  absl::flat_hash_set<uint64_t> registers_;
  absl::flat_hash_map<uint32_t, Intervals> memory_live_;
  absl::flat_hash_map<uint32_t, Frame> frames_;
  std::vector<std::pair<uint32_t, Operand>> phi_needs_;
};

void Slicer::take_conditions(const Step& step) {
  const Detail* detail = detail_of(step);
  if (!detail) return;
  for (auto at = detail->conditions.rbegin(); at != detail->conditions.rend(); ++at)
    slice_.conditions.push_back(*at);
  if (!detail->opaque.empty())
    slice_.opaque.push_back(
        {fmt::format("{}: {}", code_.text_of(step.instruction->position), detail->opaque),
         detail->origin});
}

void Slicer::take(const Step& step, Frame& frame) {
  slice_.steps++;
  slice_.taken[at_] = true;
  frame.in_slice = frame.has_head = true;
  frame.head = facts_.place_of(*step.instruction).block;
  frame.edge_from = ~0u;
  take_conditions(step);
}

bool Slicer::writes_live(const Detail& detail) const {
  return std::ranges::any_of(detail.writes, [&](const Range& range) {
    const auto known = memory_live_.find(number(range.object));
    return known != memory_live_.end() && known->second.overlaps(range.begin, range.end);
  });
}

void Slicer::kill(const Detail& detail) {
  if (detail.is_weak) return;
  for (const Range& range : detail.writes)
    if (const auto known = memory_live_.find(number(range.object)); known != memory_live_.end())
      known->second.remove(range.begin, range.end);
}

bool Slicer::may_write_live(const std::vector<AbstractBytes>& writes) const {
  if (writes.empty()) return false;
  for (const auto& [object, live] : memory_live_) {
    if (live.empty()) continue;
    const Object& concrete = memory_[ObjectNumber{object}];
    for (const AbstractBytes& may : writes) {
      const bool same = may.object == 0 ||
                        std::ranges::find(concrete.abstract, may.object) != concrete.abstract.end();
      if (!same) continue;
      for (const auto& [begin, end] : live.all())
        if (may.object == 0 || may_overlap(may, begin, end)) return true;
    }
  }
  return false;
}

// COVER figure 3.
bool Slicer::depends_on(const Step& step, const Frame& frame) const {
  const auto [function, block] = facts_.place_of(*step.instruction);
  for (uint32_t to : facts_.successors(function, block)) {
    if (frame.edge_from != ~0u) {
      if (frame.edge_from == block && frame.head == to) continue;
      if (frame.edge_from == block || !facts_.postdominates(function, frame.edge_from, to))
        return true;
    } else if (!facts_.postdominates(function, frame.head, to)) {
      return true;
    }
    const uint32_t head = frame.edge_from != ~0u ? frame.edge_from : frame.head;
    const ControlFacts::Between& between = facts_.between(function, to, head);
    if (between.synchronizes || may_write_live(between.writes)) return true;
  }
  return false;
}

void Slicer::visit(const Step& step) {
  // The phis of a block take their operands all at once.
  if (step.instruction->operation != Operation::phi) {
    for (const auto& [phi_frame, operand] : phi_needs_) need(phi_frame, operand);
    phi_needs_.clear();
  }
  Frame& frame = frames_[step.frame];
  if (!frame.seen) {
    frame.seen = true;
    // A call that came back, or one that was left in the middle.
    frame.has_head = step.instruction->operation == Operation::give_back;
  }
  switch (step.instruction->operation) {
    case Operation::phi:
      visit_phi(step, frame);
      break;
    case Operation::branch:
    case Operation::select_case:
      visit_branch(step, frame);
      break;
    case Operation::call:
      visit_call(step, frame);
      break;
    case Operation::give_back:
      visit_return(step, frame);
      break;
    default:
      visit_other(step, frame);
      break;
  }
}

void Slicer::visit_phi(const Step& step, Frame& frame) {
  const CodeInstruction& phi = *step.instruction;
  if (!is_live(step.frame, phi.result)) return;
  registers_.erase(key(step.frame, phi.result));
  phi_needs_.emplace_back(step.frame, phi.operands[step.choice]);
  slice_.steps++;
  slice_.taken[at_] = true;
  frame.in_slice = frame.has_head = true;
  frame.head = facts_.place_of(phi).block;
  frame.edge_from = phi.targets[step.choice];
}

void Slicer::visit_branch(const Step& step, Frame& frame) {
  if (!frame.has_head || !depends_on(step, frame)) return;
  need(step.frame, step.instruction->operands[0]);
  take(step, frame);
}

void Slicer::visit_call(const Step& step, Frame& frame) {
  const CodeInstruction& call = *step.instruction;
  const Detail* detail = detail_of(step);
  bool taken = false;
  if (step.choice != 0) {
    const uint32_t callee = step.choice - 1;
    const uint32_t function = path_.frames[callee].function;
    const bool is_thread = path_.frames[callee].caller == ~0u;
    const bool touched = frames_.contains(callee) && frames_[callee].in_slice;
    const uint32_t parameters = code_.functions[function].parameters;
    bool passes = false;
    for (uint32_t p = 0; p < parameters; p++) {
      if (!is_live(callee, p)) continue;
      registers_.erase(key(callee, p));
      const size_t at = is_thread ? 4 : p + 1;
      if (at < call.operands.size()) need(step.frame, call.operands[at]);
      passes = true;
    }
    if (!is_thread && (touched || passes)) {
      need(step.frame, call.operands[0]);
      taken = true;
    }
  }
  const bool result_live = call.result != program::kNoRegister && is_live(step.frame, call.result);
  if (result_live) registers_.erase(key(step.frame, call.result));
  if (detail && detail->is_kept) {
    for (uint32_t operand : detail->kept_operands) need(step.frame, call.operands[operand]);
    kill(*detail);
    need_memory(*detail);
    taken = true;
  } else if (detail && (result_live || writes_live(*detail))) {
    kill(*detail);
    for (const Operand& operand : call.operands) need(step.frame, operand);
    need_memory(*detail);
    taken = true;
  } else if (step.choice == 0 && (result_live || may_write_live(call.writes))) {
    for (const Operand& operand : call.operands) need(step.frame, operand);
    taken = true;
  }
  if (taken) take(step, frame);
}

void Slicer::visit_return(const Step& step, Frame& frame) {
  const FrameRow& row = path_.frames[step.frame];
  const CodeInstruction& give_back = *step.instruction;
  // step.choice is the register of the caller that takes the result, from 1.
  if (row.caller == ~0u || step.choice == 0 || !is_live(row.caller, step.choice - 1)) {
    if (detail_of(step)) take(step, frame);
    return;
  }
  registers_.erase(key(row.caller, step.choice - 1));
  if (!give_back.operands.empty()) need(step.frame, give_back.operands[0]);
  take(step, frame);
}

void Slicer::visit_other(const Step& step, Frame& frame) {
  const CodeInstruction& instruction = *step.instruction;
  const Detail* detail = detail_of(step);
  const bool result_live =
      instruction.result != program::kNoRegister && is_live(step.frame, instruction.result);
  if (!result_live && !(detail && (detail->is_kept || writes_live(*detail)))) {
    // It wrote somewhere else, but where depends on its address: that it did so must be kept.
    if (instruction.operation == Operation::store && may_write_live(instruction.writes)) {
      need(step.frame, instruction.operands[1]);
      take(step, frame);
    }
    return;
  }
  if (result_live) registers_.erase(key(step.frame, instruction.result));
  if (detail) kill(*detail);
  for (const Operand& operand : instruction.operands) need(step.frame, operand);
  if (detail) need_memory(*detail);
  take(step, frame);
}

}  // namespace

Slice precondition_slice(const program::Code& code, const ControlFacts& facts, const Path& path,
                         const Memory& memory) {
  return Slicer(code, facts, path, memory).run();
}

}  // namespace foretell::symbolic
