// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/threads/running.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>

#include <algorithm>
#include <deque>

#include "static_analysis/preparation/thread_copies.h"
#include "static_analysis/races/accesses.h"

namespace foretell::static_analysis {

using bitcode::MadeOf;
using llvm::dyn_cast;

namespace {

bool ends_thread(const llvm::Instruction& instruction) {
  if (llvm::isa<llvm::ReturnInst>(instruction)) return true;
  const auto* call = dyn_cast<llvm::CallBase>(&instruction);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && (callee->getName() == "pthread_exit" || callee->getName() == "thrd_exit");
}

bool is_free(const llvm::Instruction& instruction) {
  const auto* call = dyn_cast<llvm::CallBase>(&instruction);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->isDeclaration() && callee->getName() == "free";
}

std::optional<uint64_t> written_by(const llvm::Instruction& instruction) {
  const auto* store = dyn_cast<llvm::StoreInst>(&instruction);
  if (!store) return {};
  const llvm::TypeSize bytes =
      instruction.getDataLayout().getTypeStoreSize(store->getValueOperand()->getType());
  return bytes.isScalable() ? std::nullopt : std::optional(bytes.getFixedValue());
}

}  // namespace

bool Running::State::join(const State& other) {
  if (!other.reached) return false;
  if (!reached) {
    *this = other;
    return true;
  }
  bool changed = false;
  for (size_t i = 0; i < counts.size(); i++)
    if (other.counts[i] > counts[i]) {
      counts[i] = other.counts[i];
      changed = true;
    }
  for (const auto& [place, threads] : other.handles) {
    const auto [mine, added] = handles.try_emplace(place, threads);
    changed |= added;
    for (size_t i = 0; i < threads.size(); i++)
      if (threads[i] && !mine->second[i]) mine->second[i] = changed = true;
  }
  return changed;
}

Running::Running(const Threads& threads, const bitcode::PointsTo& points_to)
    : threads_(threads), points_to_(points_to), results_(threads.size()) {
  const auto& targets = points_to.solution().targets();
  for (const bitcode::Touch& touch : points_to.touches())
    // What is freed is not read anymore.
    if (touch.kind != program::AccessKind::read && !is_free(*touch.instruction))
      points_to.solution().targets_of(touch.pointer).for_each([&](uint32_t id) {
        const bitcode::Target target = targets[bitcode::TargetId{id}];
        writers_[target.object].push_back(
            {touch.instruction, target, written_by(*touch.instruction)});
      });
  // Children come after their parents.
  for (size_t i = threads.size(); i-- > 0;) solve(static_cast<ThreadId>(i));
}

Running::~Running() = default;

std::optional<Running::Place> Running::own_place(const llvm::Value& pointer, ThreadId id) const {
  const AbstractThread& thread = threads_[id];
  const bitcode::Bits& set = points_to_.targets_of(pointer);
  if (set.count() != 1) return {};
  bitcode::Target target;
  set.for_each(
      [&](uint32_t one) { target = points_to_.solution().targets()[bitcode::TargetId{one}]; });
  if (target.stride != 0) return {};
  const bitcode::AbstractObject& object = points_to_[target.object];
  bool own = object.kind == MadeOf::global && thread.once;
  if (object.kind == MadeOf::stack || object.kind == MadeOf::heap) {
    const auto* made = dyn_cast<llvm::Instruction>(object.value);
    own = made && !object.wrapper_call && made->getFunction() == thread.root && !is_in_cycle(*made);
  }
  if (!own) return {};
  if (const auto writers = writers_.find(target.object); writers != writers_.end())
    for (const Writer& writer : writers->second)
      if (writer.instruction->getFunction() != thread.root) return {};
  return Place{target.object, target.offset};
}

void Running::forget(const llvm::Value& pointer, State& state) const {
  points_to_.targets_of(pointer).for_each([&](uint32_t one) {
    const auto object = points_to_.solution().targets()[bitcode::TargetId{one}].object;
    for (auto& [place, holders] : state.handles)
      if (place.first == object) holders.back() = true;
  });
}

void Running::start(ThreadId child, ThreadId parent, const llvm::CallBase& call,
                    State& state) const {
  const auto more = [&](ThreadId id, bool many) {
    Count& count = state.counts[number(id)];
    count = count == Count::none && !many ? Count::one : Count::more;
  };
  more(child, false);
  for (ThreadId below : threads_.family(child))
    if (below != child && results_[number(threads_[below].parent)].ever[number(below)])
      more(below, true);
  const llvm::Value& handle = *thread_start(call)->handle;
  if (const auto place = own_place(handle, parent)) {
    auto& holders = state.handles[*place];
    holders.assign(threads_.size() + 1, false);
    holders[number(child)] = true;
  } else {
    forget(handle, state);
  }
}

// With `child` ends what it waited for itself.
void Running::end(ThreadId child, State& state, bool all) const {
  if (!all && state.counts[number(child)] != Count::one) return;
  state.counts[number(child)] = Count::none;
  for (ThreadId below : threads_.family(child)) {
    if (below == child) continue;
    bool left = false;
    for (ThreadId at = below; at != child; at = threads_[at].parent)
      left |= results_[number(threads_[at].parent)].at_exit[number(below)];
    if (!left) state.counts[number(below)] = Count::none;
  }
}

void Running::join_one(const llvm::Value& handle, State& state) const {
  const auto* load = dyn_cast<llvm::LoadInst>(&handle);
  if (!load) return;
  const auto holders = loaded_.find(load);
  if (holders == loaded_.end() || std::ranges::count(holders->second, true) != 1) return;
  const auto only = std::ranges::find(holders->second, true) - holders->second.begin();
  if (static_cast<size_t>(only) == threads_.size()) return;
  end(static_cast<ThreadId>(only), state, false);
}

void Running::store(const llvm::StoreInst& store, ThreadId id, State& state) const {
  if (const auto place = own_place(*store.getPointerOperand(), id)) {
    const auto* load = dyn_cast<llvm::LoadInst>(store.getValueOperand());
    const auto known = load ? loaded_.find(load) : loaded_.end();
    if (known != loaded_.end())
      state.handles[*place] = known->second;
    else
      state.handles[*place].assign(threads_.size() + 1, true);
    return;
  }
  if (!state.handles.empty()) forget(*store.getPointerOperand(), state);
}

void Running::step(ThreadId id, const llvm::Instruction& instruction, State& state) {
  if (const auto* load = dyn_cast<llvm::LoadInst>(&instruction)) {
    if (state.handles.empty() || load->getType()->isFloatingPointTy()) return;
    if (const auto place = own_place(*load->getPointerOperand(), id))
      if (const auto held = state.handles.find(*place); held != state.handles.end()) {
        auto& seen = loaded_[load];
        seen.resize(threads_.size() + 1);
        for (size_t i = 0; i < seen.size(); i++) seen[i] = seen[i] || held->second[i];
        return;
      }
    // It may be anything.
    if (loaded_.contains(load)) loaded_[load].assign(threads_.size() + 1, true);
    return;
  }
  if (const auto* written = dyn_cast<llvm::StoreInst>(&instruction))
    return store(*written, id, state);
  if (instruction.isAtomic()) forget(*instruction.getOperand(0), state);
  const auto* call = dyn_cast<llvm::CallBase>(&instruction);
  if (!call) return;
  if (!threads_.started_by(*call))
    for (const llvm::Use& argument : call->args())
      if (argument->getType()->isPointerTy()) forget(*argument, state);
  if (const auto* children = threads_.started_by(*call))
    for (ThreadId child : *children) start(child, id, *call, state);
  if (const llvm::Value* handle = joined_handle(*call)) join_one(*handle, state);
}

// Before the loop none of them was left over, and nobody else writes handles: the joins are of all there
// are.
bool Running::is_paired(ThreadId id, ThreadId child, const LoopPairs::Pair& pair) const {
  for (const llvm::BasicBlock* before : pair.entering) {
    const auto found = results_[number(id)].blocks.find(before);
    if (found == results_[number(id)].blocks.end() || !found->second.reached) continue;
    if (pair.start->getParent() == before) return false;
    if (found->second.counts[number(child)] != Count::none) return false;
  }
  bool others_write = false;
  points_to_.targets_of(*pair.handles).for_each([&](uint32_t one) {
    const bitcode::Target place = points_to_.solution().targets()[bitcode::TargetId{one}];
    const auto writers = writers_.find(place.object);
    if (writers == writers_.end()) return;
    const auto* made = dyn_cast_or_null<llvm::Instruction>(points_to_[place.object].value);
    const Access handle{.extent = pair.start->getDataLayout().getPointerSize(), .targets = {place}};
    for (const Writer& writer : writers->second)
      others_write |= writer.instruction != pair.start && writer.instruction != made &&
                      overlap(Access{.extent = writer.extent, .targets = {writer.target}}, handle,
                              place.object);
  });
  return !others_write;
}

void Running::leave_loops(ThreadId id, const llvm::BasicBlock& from, const llvm::BasicBlock& to,
                          State& state, const LoopPairs& pairs) const {
  for (const LoopPairs::Pair& pair : pairs.joined_on(from, to))
    if (const auto* children = threads_.started_by(*pair.start))
      for (ThreadId child : *children)
        if (is_paired(id, child, pair)) end(child, state, true);
}

const llvm::CallBase* Running::joined_in_order(ThreadId child) const {
  return joins_in_order_.lookup(threads_[child].start);
}

void Running::solve(ThreadId id) {
  const AbstractThread& thread = threads_[id];
  Result& result = results_[number(id)];
  const size_t size = threads_.size();
  result.at_exit.assign(size, false);
  result.ever.assign(size, false);
  // Where no rule follows: whatever may be started here runs all the time.
  State first{.reached = true, .counts = std::vector<Count>(size, Count::none), .handles = {}};
  const auto is_far = [&](ThreadId child) {
    return threads_[child].start->getFunction() != thread.root;
  };
  for (ThreadId child : thread.children)
    if (is_far(child))
      for (ThreadId below : threads_.family(child)) first.counts[number(below)] = Count::more;
  if (thread.children.empty()) {
    result.blocks[&thread.root->getEntryBlock()] = first;
    return;
  }
  const LoopPairs pairs(*thread.root);
  const auto note = [&](std::vector<bool>& set, const State& state) {
    for (size_t i = 0; i < size; i++)
      if (state.counts[i] != Count::none) set[i] = true;
  };
  for (ThreadId child : thread.children)
    for (ThreadId below : threads_.family(child)) result.ever[number(below)] = true;
  // Results of loads and of loops change what blocks did before: until nothing changes.
  for (bool changed = true; changed;) {
    changed = false;
    const auto loaded_before = loaded_;
    std::deque<const llvm::BasicBlock*> left = {&thread.root->getEntryBlock()};
    result.blocks[left.front()].join(first);
    llvm::DenseSet<const llvm::BasicBlock*> visited;
    while (!left.empty()) {
      const llvm::BasicBlock* block = left.front();
      left.pop_front();
      visited.insert(block);
      State state = result.blocks[block];
      for (const llvm::Instruction& instruction : *block) step(id, instruction, state);
      for (const llvm::BasicBlock* next : llvm::successors(block)) {
        State out = state;
        leave_loops(id, *block, *next, out, pairs);
        const bool grew = result.blocks[next].join(out);
        changed |= grew;
        if (grew || !visited.contains(next)) {
          visited.insert(next);
          left.push_back(next);
        }
      }
    }
    changed |= loaded_ != loaded_before;
  }
  for (const LoopPairs::Pair& pair : pairs.all())
    if (const auto* children = threads_.started_by(*pair.start); children && pair.same_order)
      if (llvm::all_of(*children, [&](ThreadId child) { return is_paired(id, child, pair); }))
        joins_in_order_[pair.start] = pair.join;
  for (auto& [block, state] : result.blocks) {
    if (!state.reached) continue;
    State at = state;
    for (const llvm::Instruction& instruction : *block) {
      if (instruction.mayReadOrWriteMemory()) {
        auto& set = result.at[&instruction];
        set.resize(size);
        note(set, at);
      }
      if (ends_thread(instruction)) note(result.at_exit, at);
      step(id, instruction, at);
    }
  }
}

bool Running::below(ThreadId x, const llvm::Instruction& at, ThreadId y) const {
  const Result& result = results_[number(x)];
  if (at.getFunction() != threads_[x].root) return result.ever[number(y)];
  // The handle of a new thread may be written when that thread runs.
  if (const auto* call = dyn_cast<llvm::CallBase>(&at))
    if (const auto* children = threads_.started_by(*call))
      for (ThreadId child : *children)
        if (threads_.is_ancestor(child, y)) return true;
  const auto found = result.at.find(&at);
  return found != result.at.end() && found->second[number(y)];
}

bool Running::left_at_exit(ThreadId x, ThreadId y) const {
  return results_[number(x)].at_exit[number(y)];
}

// Whether a thread of kind y may be running when one of kind x, an instance of `started`, starts.
bool Running::when_started(ThreadId started, ThreadId y) const {
  const AbstractThread& thread = threads_[started];
  const Result& result = results_[number(thread.parent)];
  if (thread.start->getFunction() != threads_[thread.parent].root) return true;
  const auto found = result.at.find(thread.start);
  return found != result.at.end() && found->second[number(y)];
}

ThreadId Running::child_towards(ThreadId ancestor, ThreadId descendant) const {
  while (threads_[descendant].parent != ancestor) descendant = threads_[descendant].parent;
  return descendant;
}

bool Running::with_itself(ThreadId id) const {
  if (threads_[id].wild) return true;
  for (ThreadId at = id; at != kMain; at = threads_[at].parent)
    if (when_started(at, id)) return true;
  return false;
}

bool Running::in_parallel(const llvm::Instruction& a, ThreadId x, const llvm::Instruction& b,
                          ThreadId y) const {
  if (threads_[x].wild || threads_[y].wild) return true;
  if (x == y) return with_itself(x);
  ThreadId common = x;
  while (!threads_.is_ancestor(common, y)) common = threads_[common].parent;
  if (common == x) {
    if (below(x, a, y)) return true;
  } else if (common == y) {
    if (below(y, b, x)) return true;
  } else if (when_started(child_towards(common, x), y) ||
             when_started(child_towards(common, y), x)) {
    return true;
  }
  // In different instances of something above both.
  for (ThreadId at = common; at != kMain; at = threads_[at].parent)
    if (when_started(at, x) || when_started(at, y)) return true;
  return false;
}

}  // namespace foretell::static_analysis
