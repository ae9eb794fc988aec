// SPDX-License-Identifier: Apache-2.0

#include "symbolic/slicing/control_facts.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace foretell::symbolic {

using program::AbstractBytes;
using program::CodeBlock;
using program::CodeFunction;
using program::CodeInstruction;
using program::Operand;
using program::Operation;

bool ends_process(std::string_view function) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "exit", "_exit", "_Exit", "abort", "__assert_fail", "quick_exit", "__assert_perror_fail"};
  return std::ranges::find(kNames, function) != kNames.end();
}

namespace {

std::tuple<uint32_t, uint64_t, uint64_t, uint64_t> key_of(const AbstractBytes& bytes) {
  return {bytes.object, bytes.offset, bytes.stride, bytes.size};
}

bool add_all(std::vector<AbstractBytes>& to, const std::vector<AbstractBytes>& from) {
  const size_t before = to.size();
  to.insert(to.end(), from.begin(), from.end());
  std::ranges::sort(to, {}, key_of);
  const auto same = std::ranges::unique(to, {}, key_of);
  to.erase(same.begin(), same.end());
  return to.size() != before;
}

}  // namespace

ControlFacts::ControlFacts(const program::Code& code, bool has_epochs,
                           const std::set<uint32_t>& readings)
    : code_(code), markers_(code, has_epochs, readings) {
  index_instructions();
  find_synchronizing();
  functions_.resize(code.functions.size());
  find_writes();
  for (uint32_t f = 0; f < code.functions.size(); f++) {
    find_failing(f);
    find_postdominators(f);
  }
  for (uint32_t f = 0; f < code.functions.size(); f++) find_free_loops(f);
}

void ControlFacts::find_free_loops(uint32_t f) {
  std::vector<FreeLoop>& found = functions_[f].free_loops;
  for (const Markers::Loop& loop : markers_.loops_of(f)) {
    bool is_free = true;
    for (uint32_t b = 0; b < loop.blocks.size() && is_free; b++)
      if (loop.blocks[b])
        is_free = !markers_.at(f, b) &&
                  std::ranges::none_of(code_.functions[f].blocks[b].instructions,
                                       [&](const CodeInstruction& i) { return synchronizes(i); });
    uint32_t end = loop.header;
    while (end != kExit && loop.blocks[end]) end = next_common(f, end);
    if (!is_free || end == kExit) continue;
    // A larger one comes later, and takes its place.
    std::erase_if(found, [&](const FreeLoop& inner) { return loop.blocks[inner.header]; });
    found.push_back({loop.header, end, loop.blocks});
  }
}

void ControlFacts::index_instructions() {
  places_.resize(code_.instructions);
  by_id_.resize(code_.instructions);
  for (uint32_t f = 0; f < code_.functions.size(); f++)
    for (uint32_t b = 0; b < code_.functions[f].blocks.size(); b++)
      for (const CodeInstruction& instruction : code_.functions[f].blocks[b].instructions) {
        places_[instruction.id] = {f, b};
        by_id_[instruction.id] = &instruction;
      }
}

bool ControlFacts::synchronizes(const CodeInstruction& instruction) const {
  return markers_.reading(instruction.id) ||
         std::ranges::any_of(instruction.callees,
                             [&](uint32_t callee) { return synchronizes_[callee]; });
}

void ControlFacts::find_synchronizing() {
  synchronizes_.resize(code_.functions.size());
  for (size_t f = 0; f < code_.functions.size(); f++)
    synchronizes_[f] = program::is_synchronization(code_.functions[f].name);
  for (bool grows = true; grows;) {
    grows = false;
    for (size_t f = 0; f < code_.functions.size(); f++) {
      if (synchronizes_[f]) continue;
      for (const CodeBlock& block : code_.functions[f].blocks)
        for (const CodeInstruction& instruction : block.instructions)
          if (synchronizes(instruction)) synchronizes_[f] = grows = true;
    }
  }
}

void ControlFacts::find_writes() {
  for (size_t f = 0; f < functions_.size(); f++)
    for (const CodeBlock& block : code_.functions[f].blocks)
      for (const CodeInstruction& instruction : block.instructions)
        if (!instruction.writes.empty()) add_all(functions_[f].writes, instruction.writes);
  for (bool grows = true; grows;) {
    grows = false;
    for (size_t f = 0; f < functions_.size(); f++)
      for (const CodeBlock& block : code_.functions[f].blocks)
        for (const CodeInstruction& instruction : block.instructions)
          // A new thread writes on its own account, ordered by its own synchronization.
          if (instruction.operation == Operation::call)
            for (uint32_t callee : instruction.callees)
              if (callee != f && add_all(functions_[f].writes, functions_[callee].writes))
                grows = true;
  }
}

bool ControlFacts::ends_program(const CodeInstruction& instruction) const {
  if (instruction.operation == Operation::unreachable) return true;
  if (instruction.operation != Operation::call) return false;
  const Operand& callee = instruction.operands[0];
  return callee.kind == Operand::Kind::function && ends_process(code_.functions[callee.index].name);
}

void ControlFacts::find_failing(uint32_t f) {
  const CodeFunction& function = code_.functions[f];
  FunctionFacts& facts = functions_[f];
  const size_t count = function.blocks.size();
  facts.failing.assign(count, false);
  enum class Own { goes_on, fails, matters };
  std::vector<Own> own(count, Own::goes_on);
  for (uint32_t b = 0; b < count; b++) {
    if (markers_.at(f, b)) own[b] = Own::matters;
    for (const CodeInstruction& instruction : function.blocks[b].instructions) {
      if (own[b] != Own::goes_on) break;
      if (ends_program(instruction))
        own[b] = Own::fails;
      else if (synchronizes(instruction))
        own[b] = Own::matters;
    }
  }
  for (bool grows = true; grows;) {
    grows = false;
    for (uint32_t b = 0; b < count; b++) {
      if (facts.failing[b] || own[b] == Own::matters) continue;
      const auto& targets = function.blocks[b].instructions.back().targets;
      const bool fails = own[b] == Own::fails ||
                         (!targets.empty() && std::ranges::all_of(targets, [&](uint32_t to) {
                           return is_failing_edge(f, b, to);
                         }));
      if (fails) facts.failing[b] = grows = true;
    }
  }
  facts.successors.resize(count);
  for (uint32_t b = 0; b < count; b++) {
    const CodeInstruction& last = function.blocks[b].instructions.back();
    if (last.operation == Operation::phi) continue;
    for (uint32_t to : last.targets)
      if (!is_failing_edge(f, b, to)) facts.successors[b].push_back(to);
  }
}

bool ControlFacts::is_failing_edge(uint32_t f, uint32_t from, uint32_t to) const {
  if (functions_[f].failing[to]) return true;
  const CodeFunction& function = code_.functions[f];
  if (function.name != "main") return false;
  // return 1 in main
  const auto& instructions = function.blocks[to].instructions;
  const CodeInstruction& last = instructions.back();
  if (last.operation != Operation::give_back || last.operands.empty()) return false;
  for (size_t i = 0; i + 1 < instructions.size(); i++) {
    const CodeInstruction& phi = instructions[i];
    if (phi.operation != Operation::phi) return false;
    if (last.operands[0].kind != Operand::Kind::reg || phi.result != last.operands[0].index)
      continue;
    for (size_t k = 0; k < phi.targets.size(); k++)
      if (phi.targets[k] == from && phi.operands[k].kind == Operand::Kind::integer &&
          phi.operands[k].bits != 0)
        return true;
  }
  return last.operands[0].kind == Operand::Kind::integer && last.operands[0].bits != 0;
}

// Where nothing leads to an end, everything would postdominate everything. So the edges that go back
// in such loops may leave them too.
std::vector<bool> ControlFacts::endless_latches(uint32_t f) const {
  const FunctionFacts& facts = functions_[f];
  const size_t count = facts.successors.size();
  std::vector<bool> ends(count);
  for (size_t b = 0; b < count; b++) ends[b] = facts.failing[b] || facts.successors[b].empty();
  for (bool grows = true; grows;) {
    grows = false;
    for (size_t b = 0; b < count; b++)
      for (uint32_t to : facts.successors[b])
        if (!ends[b] && ends[to]) ends[b] = grows = true;
  }
  std::vector<bool> latches(count);
  std::vector<uint8_t> state(count);
  std::vector<std::pair<uint32_t, size_t>> stack;
  for (uint32_t root = 0; root < count; root++) {
    if (ends[root] || state[root] != 0) continue;
    stack.emplace_back(root, 0);
    state[root] = 1;
    while (!stack.empty()) {
      const auto [block, next] = stack.back();
      if (next == facts.successors[block].size()) {
        state[block] = 2;
        stack.pop_back();
        continue;
      }
      stack.back().second++;
      const uint32_t to = facts.successors[block][next];
      if (state[to] == 1) latches[block] = true;
      if (state[to] == 0) {
        state[to] = 1;
        stack.emplace_back(to, 0);
      }
    }
  }
  return latches;
}

// The sets of the definition, by iteration: functions have few blocks.
void ControlFacts::find_postdominators(uint32_t f) {
  FunctionFacts& facts = functions_[f];
  const size_t count = facts.successors.size();
  facts.postdominators.assign(count, std::vector<bool>(count + 1, true));
  const std::vector<bool> may_leave = endless_latches(f);
  for (bool changes = true; changes;) {
    changes = false;
    for (size_t b = count; b-- > 0;) {
      std::vector<bool> set(count + 1, true);
      if (facts.successors[b].empty()) {
        // Ways that end the program are in no postdominator's way.
        if (!facts.failing[b]) {
          set.assign(count + 1, false);
          set[count] = true;
        }
      }
      for (uint32_t to : facts.successors[b])
        for (size_t i = 0; i <= count; i++)
          if (!facts.postdominators[to][i]) set[i] = false;
      if (may_leave[b]) set.assign(count, false), set.push_back(true);
      set[b] = true;
      if (set != facts.postdominators[b]) {
        facts.postdominators[b] = std::move(set);
        changes = true;
      }
    }
  }
}

bool ControlFacts::postdominates(uint32_t function, uint32_t head, uint32_t block) const {
  const auto& set = functions_[function].postdominators[block];
  return head == kExit ? set.back() : set[head];
}

uint32_t ControlFacts::next_common(uint32_t f, uint32_t block) const {
  const auto& all = functions_[f].postdominators;
  uint32_t nearest = kExit;
  ptrdiff_t most = 0;
  for (uint32_t other = 0; other < all.size(); other++) {
    if (other == block || !all[block][other]) continue;
    const ptrdiff_t size = std::ranges::count(all[other], true);
    if (size > most) {
      most = size;
      nearest = other;
    }
  }
  return nearest;
}

std::vector<uint32_t> ControlFacts::blocks_between(uint32_t f, uint32_t from, uint32_t head) const {
  std::vector<uint32_t> found;
  std::vector<bool> seen(code_.functions[f].blocks.size());
  const auto reach = [&](uint32_t block) {
    if (block == head || seen[block]) return;
    seen[block] = true;
    found.push_back(block);
  };
  reach(from);
  for (size_t i = 0; i < found.size(); i++)
    for (uint32_t to : functions_[f].successors[found[i]]) reach(to);
  return found;
}

const ControlFacts::Between& ControlFacts::between(uint32_t f, uint32_t from, uint32_t head) const {
  const std::pair key{uint64_t{f} << 32 | from, head};
  const auto [at, is_new] = between_.try_emplace(key);
  if (!is_new) return at->second;
  Between found;
  for (uint32_t block : blocks_between(f, from, head)) {
    found.synchronizes |= markers_.at(f, block) != nullptr;
    for (const CodeInstruction& instruction : code_.functions[f].blocks[block].instructions) {
      found.synchronizes |= synchronizes(instruction);
      add_all(found.writes, instruction.writes);
      if (instruction.operation == Operation::call)
        for (uint32_t callee : instruction.callees)
          add_all(found.writes, functions_[callee].writes);
    }
  }
  return between_[key] = std::move(found);
}

}  // namespace foretell::symbolic
