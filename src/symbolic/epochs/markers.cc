// SPDX-License-Identifier: Apache-2.0

#include "symbolic/epochs/markers.h"

#include <algorithm>
#include <string_view>

namespace foretell::symbolic {

using program::CodeBlock;
using program::CodeFunction;
using program::CodeInstruction;
using program::Operation;

namespace {

constexpr uint32_t kWaits = 1, kThreads = 2, kOther = 4;

const std::vector<uint32_t>& successors(const CodeBlock& block) {
  static const std::vector<uint32_t> kNone;
  return block.instructions.back().operation == Operation::phi ? kNone
                                                               : block.instructions.back().targets;
}

// What it calls itself: not the function with which a new thread begins.
std::vector<uint32_t> callees_of(const CodeInstruction& instruction) {
  if (instruction.operation != Operation::call) return {};
  if (instruction.operands[0].kind == program::Operand::Kind::function)
    return {instruction.operands[0].index};
  return instruction.callees;
}

uint32_t kind_of(std::string_view name) {
  if (!program::is_synchronization(name)) return 0;
  if (name == "pthread_cond_wait") return kWaits;
  return name == "pthread_create" || name == "pthread_join" ? kThreads : kOther;
}

}  // namespace

Markers::Markers(const program::Code& code, bool enabled, const std::set<uint32_t>& readings)
    : code_(code), enabled_(enabled) {
  functions_.resize(code.functions.size());
  for (size_t f = 0; f < functions_.size(); f++) {
    functions_[f].marker.resize(code.functions[f].blocks.size());
    functions_[f].decides.resize(code.functions[f].blocks.size());
  }
  if (!enabled) return;
  find_kinds();
  find_recursion();
  // Callees first: what they are sure to pass is final when their callers ask.
  for (FunctionRow& row : functions_) row.is_covered = row.is_recursive;
  std::vector<bool> visited(functions_.size());
  for (uint32_t f = 0; f < functions_.size(); f++) place_below(f, visited);
  for (uint32_t before : readings) add_reading(before);
}

void Markers::add_reading(uint32_t before) {
  for (const CodeFunction& function : code_.functions)
    for (const CodeBlock& block : function.blocks)
      for (const CodeInstruction& instruction : block.instructions)
        if (instruction.id == before && instruction.operation != Operation::phi && !find(before))
          readings_[before] = {
              .operation = Operation::jump, .id = before, .position = instruction.position};
}

void Markers::place_below(uint32_t f, std::vector<bool>& visited) {
  if (visited[f]) return;
  visited[f] = true;
  for (const CodeBlock& block : code_.functions[f].blocks)
    for (const CodeInstruction& instruction : block.instructions)
      for (uint32_t callee : callees_of(instruction)) place_below(callee, visited);
  place_in(f);
}

uint32_t Markers::kinds_of(const CodeInstruction& instruction) const {
  uint32_t kinds = 0;
  for (uint32_t callee : callees_of(instruction)) kinds |= functions_[callee].synchronizes;
  return kinds;
}

uint32_t Markers::kinds_of(uint32_t f, const std::vector<bool>* blocks) const {
  uint32_t kinds = 0;
  const CodeFunction& function = code_.functions[f];
  for (size_t b = 0; b < function.blocks.size(); b++)
    if (!blocks || (*blocks)[b])
      for (const CodeInstruction& instruction : function.blocks[b].instructions)
        kinds |= kinds_of(instruction);
  return kinds;
}

void Markers::find_kinds() {
  for (size_t f = 0; f < functions_.size(); f++)
    functions_[f].synchronizes = kind_of(code_.functions[f].name);
  for (bool grows = true; grows;) {
    grows = false;
    for (uint32_t f = 0; f < functions_.size(); f++) {
      const uint32_t kinds = functions_[f].synchronizes | kinds_of(f, nullptr);
      grows |= kinds != functions_[f].synchronizes;
      functions_[f].synchronizes = kinds;
    }
  }
}

// From each function along calls; there are few functions that synchronize.
void Markers::find_recursion() {
  for (uint32_t f = 0; f < functions_.size(); f++) {
    if (functions_[f].synchronizes == 0) continue;
    std::vector<bool> seen(functions_.size());
    std::vector<uint32_t> open{f};
    while (!open.empty()) {
      const uint32_t from = open.back();
      open.pop_back();
      for (const CodeBlock& block : code_.functions[from].blocks)
        for (const CodeInstruction& instruction : block.instructions) {
          for (uint32_t callee : callees_of(instruction)) {
            if (callee == f) functions_[f].is_recursive = true;
            if (!seen[callee]) {
              seen[callee] = true;
              open.push_back(callee);
            }
          }
        }
    }
  }
}

// It cannot be passed without a marker.
bool Markers::must_mark(const CodeInstruction& instruction) const {
  const std::vector<uint32_t> callees = callees_of(instruction);
  return !callees.empty() && std::ranges::all_of(callees, [&](uint32_t callee) {
    return functions_[callee].is_covered || code_.functions[callee].name == "pthread_barrier_wait";
  });
}

bool Markers::is_covering(uint32_t f, uint32_t block) const {
  return functions_[f].marker[block] != 0 ||
         std::ranges::any_of(code_.functions[f].blocks[block].instructions,
                             [&](const CodeInstruction& i) { return must_mark(i); });
}

// One for each block to which an edge goes back: cutting these cuts every cycle, whatever its shape.
std::vector<Markers::Loop> Markers::loops_of(uint32_t f) const {
  const auto& blocks = code_.functions[f].blocks;
  std::vector<std::vector<uint32_t>> before(blocks.size()), latches(blocks.size());
  std::vector<uint8_t> state(blocks.size());
  std::vector<std::pair<uint32_t, size_t>> stack;
  if (!blocks.empty()) stack.emplace_back(0, 0), state[0] = 1;
  while (!stack.empty()) {
    auto& [block, next] = stack.back();
    const auto& to = successors(blocks[block]);
    if (next == to.size()) {
      state[block] = 2;
      stack.pop_back();
      continue;
    }
    const uint32_t target = to[next++];
    before[target].push_back(block);
    if (state[target] == 1) latches[target].push_back(block);
    if (state[target] == 0) state[target] = 1, stack.emplace_back(target, 0);
  }
  std::vector<Loop> loops;
  for (uint32_t header = 0; header < blocks.size(); header++) {
    if (latches[header].empty()) continue;
    Loop loop{.header = header, .blocks = std::vector<bool>(blocks.size())};
    loop.blocks[header] = true;
    std::vector<uint32_t> open = latches[header];
    while (!open.empty()) {
      const uint32_t block = open.back();
      open.pop_back();
      if (loop.blocks[block]) continue;
      loop.blocks[block] = true;
      open.insert(open.end(), before[block].begin(), before[block].end());
    }
    loop.size = static_cast<size_t>(std::ranges::count(loop.blocks, true));
    loops.push_back(std::move(loop));
  }
  std::ranges::sort(loops, {}, [](const Loop& l) { return std::pair(l.size, l.header); });
  return loops;
}

// No way from the header back to it avoids all markers.
bool Markers::is_covered(uint32_t f, const Loop& loop) const {
  if (is_covering(f, loop.header)) return true;
  const auto& blocks = code_.functions[f].blocks;
  std::vector<bool> seen(blocks.size());
  std::vector<uint32_t> open{loop.header};
  while (!open.empty()) {
    const uint32_t block = open.back();
    open.pop_back();
    for (uint32_t to : successors(blocks[block])) {
      if (to == loop.header) return false;
      if (!loop.blocks[to] || seen[to] || is_covering(f, to)) continue;
      seen[to] = true;
      open.push_back(to);
    }
  }
  return true;
}

// No way through the function avoids all markers.
bool Markers::must_execute(uint32_t f) const {
  const auto& blocks = code_.functions[f].blocks;
  if (blocks.empty()) return false;
  std::vector<bool> seen(blocks.size());
  std::vector<uint32_t> open{0};
  while (!open.empty()) {
    const uint32_t block = open.back();
    open.pop_back();
    if (seen[block] || is_covering(f, block)) continue;
    seen[block] = true;
    if (blocks[block].instructions.back().operation == Operation::give_back) return false;
    for (uint32_t to : successors(blocks[block])) open.push_back(to);
  }
  return true;
}

bool Markers::dominates(uint32_t f, uint32_t dominator, uint32_t block) const {
  const auto& blocks = code_.functions[f].blocks;
  if (dominator == block || dominator == 0) return true;
  std::vector<bool> seen(blocks.size());
  std::vector<uint32_t> open{0};
  seen[0] = seen[dominator] = true;
  while (!open.empty()) {
    const uint32_t at = open.back();
    open.pop_back();
    if (at == block) return false;
    for (uint32_t to : successors(blocks[at])) {
      if (seen[to]) continue;
      seen[to] = true;
      open.push_back(to);
    }
  }
  return true;
}

void Markers::add_marker(uint32_t f, uint32_t block) {
  if (functions_[f].marker[block] != 0) return;
  const CodeInstruction& first = code_.functions[f].blocks[block].instructions.front();
  const auto& all = code_.functions[f].blocks[block].instructions;
  const auto placed =
      std::ranges::find_if(all, [](const CodeInstruction& i) { return i.position.line != 0; });
  instructions_.push_back({.operation = Operation::jump,
                           .id = first.id,
                           .position = placed == all.end() ? first.position : placed->position});
  functions_[f].marker[block] = static_cast<uint32_t>(instructions_.size());
}

void Markers::place_in(uint32_t f) {
  FunctionRow& row = functions_[f];
  if (row.synchronizes == 0 || code_.functions[f].blocks.empty()) return;
  if (row.is_recursive) add_marker(f, 0);
  for (const Loop& loop : loops_of(f)) {
    const uint32_t kinds = kinds_of(f, &loop.blocks);
    if (kinds == 0) continue;
    for (uint32_t b = 0; b < loop.blocks.size(); b++)
      if (loop.blocks[b])
        for (uint32_t to : successors(code_.functions[f].blocks[b]))
          if (!loop.blocks[to]) row.decides[b] = true;
    if (kinds == kWaits || kinds == kThreads || is_covered(f, loop)) continue;
    add_marker(f, loop.header);
  }
  row.is_covered |= must_execute(f);
}

}  // namespace foretell::symbolic
