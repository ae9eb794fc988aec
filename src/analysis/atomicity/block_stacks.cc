// SPDX-License-Identifier: Apache-2.0

#include "analysis/atomicity/block_stacks.h"

#include <algorithm>

namespace foretell::analysis {
namespace {

// The stack without the innermost frame that `is_it` accepts. Frames inside of it stay: a block may
// end after the function it began in.
BlockStack without(const BlockStack& stack, auto is_it) {
  if (!stack) return stack;
  if (is_it(*stack)) return stack->parent;
  BlockStack rest = without(stack->parent, is_it);
  if (rest == stack->parent) return stack;
  auto moved = std::make_shared<BlockFrame>(*stack);
  moved->depth = rest ? rest->depth + 1 : 1;
  moved->parent = std::move(rest);
  return moved;
}

}  // namespace

const BlockFrame* common_block(const BlockStack& a, const BlockStack& b) {
  const BlockFrame* one = a.get();
  const BlockFrame* other = b.get();
  while (one && other && one != other) {
    if (one->depth >= other->depth) {
      // Frames of equal depth that differ are both left.
      if (one->depth == other->depth) other = other->parent.get();
      one = one->parent.get();
    } else {
      other = other->parent.get();
    }
  }
  return one == other ? one : nullptr;
}

std::vector<finding::BlockName> names_of(const BlockFrame* innermost) {
  std::vector<finding::BlockName> names;
  for (const BlockFrame* f = innermost; f; f = f->parent.get()) names.push_back(f->name);
  std::ranges::reverse(names);
  return names;
}

BlockStacks::Change BlockStacks::push(const trace::Event& e, finding::BlockName name) {
  Thread& thread = threads_[e.thread];
  const bool inner = thread.stack != nullptr;
  const uint32_t depth = inner ? thread.stack->depth + 1 : 1;
  thread.stack = std::make_shared<const BlockFrame>(
      BlockFrame{name, finding::EventRef::of(e), depth, static_cast<uint32_t>(thread.calls.size()),
                 std::move(thread.stack)});
  return inner ? Change::began_inner : Change::began;
}

BlockStacks::Change BlockStacks::ended(const Thread& thread) {
  return thread.stack ? Change::ended_inner : Change::ended;
}

BlockStacks::Change BlockStacks::end_block(const trace::Event& e) {
  Thread& thread = threads_[e.thread];
  const finding::BlockName name{finding::BlockName::Kind::label, e.object};
  thread.stack = without(thread.stack, [&](const BlockFrame& f) { return f.name == name; });
  return ended(thread);
}

BlockStacks::Change BlockStacks::enter(const trace::Event& e) {
  threads_[e.thread].calls.push_back(e.function());
  if (!is_atomic_function_(e.function())) return Change::none;
  return push(e, {finding::BlockName::Kind::function, e.object});
}

BlockStacks::Change BlockStacks::leave(const trace::Event& e) {
  Thread& thread = threads_[e.thread];
  std::vector<FunctionId>& calls = thread.calls;
  // An exception or longjmp leaves several functions at once.
  while (!calls.empty() && calls.back() != e.function()) calls.pop_back();
  if (!calls.empty()) calls.pop_back();
  const BlockStack before = thread.stack;
  auto is_left = [&](const BlockFrame& f) {
    return f.name.kind == finding::BlockName::Kind::function && f.call > calls.size();
  };
  for (BlockStack rest; (rest = without(thread.stack, is_left)) != thread.stack;) {
    thread.stack = std::move(rest);
  }
  return thread.stack == before ? Change::none : ended(thread);
}

}  // namespace foretell::analysis
