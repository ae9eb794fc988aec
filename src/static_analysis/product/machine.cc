// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/product/machine.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>

#include "static_analysis/preparation/prepare.h"
#include "static_analysis/preparation/thread_copies.h"

namespace foretell::static_analysis {

using llvm::dyn_cast;

namespace {

constexpr size_t kMaxForks = 3000;    // in one step
constexpr size_t kMaxActions = 3000;  // of one thread in one step
constexpr size_t kMaxFrames = 24;

bool blocks(const llvm::CallBase& call) {
  if (const auto lock = lock_operation(call)) return lock->action != LockAction::release;
  if (const auto semaphore = semaphore_operation(call))
    return semaphore->action == SemaphoreAction::wait ||
           semaphore->action == SemaphoreAction::other;
  const llvm::Function* callee = call.getCalledFunction();
  return joined_handle(call) ||
         (callee && callee->isDeclaration() &&
          (callee->getName() == "pthread_barrier_wait" || callee->getName() == "pthread_once" ||
           callee->getName() == "call_once"));
}

}  // namespace

Machine::Machine(const PairRules& rules, const std::vector<RacePair>& pairs,
                 const Coarseness& coarseness)
    : rules_(rules),
      coarseness_(coarseness),
      relevance_(rules.threads, rules.points_to, coarseness.checks),
      places_(relevance_) {
  const auto suspect = [&](AccessIndex index) {
    const Access& access = rules.accesses[index];
    auto& known = suspects_[{access.instruction, number(access.thread)}];
    if (!llvm::is_contained(known, index)) known.push_back(index);
  };
  for (const RacePair& pair : pairs) {
    suspect(pair.first);
    suspect(pair.second);
  }
  one_place_ = has_one_atomic_place();
  for (const bitcode::Touch& touch : rules.points_to.touches()) {
    const llvm::Instruction& by = *touch.instruction;
    if (llvm::isa<llvm::CallBase>(by) && touch.kind != program::AccessKind::read)
      written_by_calls_[&by].push_back(touch.pointer);
    if (!by.isAtomic() || llvm::isa<llvm::LoadInst>(by) || !is_weak(by)) continue;
    rules.points_to.solution().targets_of(touch.pointer).for_each([&](uint32_t id) {
      const auto object = rules.points_to.solution().targets()[bitcode::TargetId{id}].object;
      weak_sites_.insert(rules.points_to[object].value);
    });
  }
  for (const bitcode::CallEdge& edge : rules.points_to.calls()) {
    const llvm::Function* callee = edge.call->getCalledFunction();
    if (callee && callee->isDeclaration() && !edge.callee->isDeclaration())
      calling_back_.insert(edge.call);
  }
  for (const AbstractThread& thread : rules.threads.all())
    if (thread.wild) fail("threads that nothing follows");
}

State Machine::initial() {
  State state;
  ThreadState main;
  main.frames.push_back({.code = &codes_.of(*rules_.threads[kMain].root)});
  state.threads.push_back(std::move(main));
  return state;
}

Machine::Next Machine::fail(std::string problem) {
  if (problem_.empty()) problem_ = std::move(problem);
  return Next::drop;
}

State& Machine::fork(const State& state) {
  forked_ = true;
  if (++forks_ > kMaxForks) fail("too many ways from one point to the next");
  return left_.emplace_back(state);
}

void Machine::end_fork(Next outcome, size_t index) {
  if (outcome != Next::stop) return;
  State stopped = std::move(left_.back());
  left_.pop_back();
  finish(std::move(stopped), index);
}

bool Machine::is_visible(const llvm::Instruction& instruction, uint32_t kind) const {
  if (suspects_.contains({&instruction, kind})) return true;
  if (const auto* call = dyn_cast<llvm::CallBase>(&instruction)) return blocks(*call);
  if (!instruction.isAtomic() || llvm::isa<llvm::FenceInst>(instruction)) return false;
  const llvm::Value* pointer = llvm::getPointerOperand(&instruction);
  if (const auto* update = dyn_cast<llvm::AtomicRMWInst>(&instruction))
    pointer = update->getPointerOperand();
  if (const auto* swap = dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    pointer = swap->getPointerOperand();
  bool matters = !pointer || rules_.points_to.targets_of(*pointer).empty();
  if (pointer)
    rules_.points_to.targets_of(*pointer).for_each([&](uint32_t id) {
      const auto object = rules_.points_to.solution().targets()[bitcode::TargetId{id}].object;
      matters |= object == bitcode::kUnknownObject ||
                 relevance_.is_relevant_site(rules_.points_to[object].value);
    });
  return matters;
}

bool Machine::is_stop(const ThreadState& thread) const {
  if (thread.phase != Phase::running) return true;
  const Frame& frame = thread.frames.back();
  return is_visible((*frame.code)[frame.at], thread.kind);
}

bool Machine::step(const State& state, size_t index, std::vector<State>& next) {
  forks_ = 0;
  next_ = &next;
  std::vector<State> starts = {state};
  if (state.threads[index].many) {
    ThreadState others = state.threads[index];
    starts.front().threads[index].many = false;
    starts.front().threads.push_back(others);
    // Members that hold no lock hinder nobody: there may as well be many still.
    if (!others.held.empty()) {
      starts.push_back(starts.front());
      starts.back().threads.back().many = false;
    }
  }
  for (State& start : starts) {
    left_.clear();
    forked_ = false;
    run(std::move(start), index, /*is_first=*/true);
    while (!left_.empty() && problem_.empty()) {
      State now = std::move(left_.back());
      left_.pop_back();
      forked_ = true;
      run(std::move(now), index, /*is_first=*/false);
    }
  }
  return problem_.empty();
}

void Machine::run(State&& state, size_t index, bool is_first) {
  for (size_t actions = 0; problem_.empty(); actions++) {
    if (!is_first && (actions > kMaxActions || is_stop(state.threads[index])))
      return finish(std::move(state), index);
    const Next outcome = execute(state, index);
    // The program ends. What was done before is seen by others if they run before that.
    if (outcome == Next::drop && !is_first) return finish(std::move(state), index);
    if (outcome == Next::drop) return;
    is_first = false;
    if (outcome == Next::stop) return finish(std::move(state), index);
    if (outcome == Next::next) state.threads[index].frames.back().at++;
  }
}

// Only what is needed is kept, and only as long as there are few values.
void Machine::finish(State&& state, size_t index) {
  ThreadState& thread = state.threads[index];
  for (Frame& frame : thread.frames) {
    const llvm::BitVector& live = frame.code->live_at(frame.at);
    std::erase_if(frame.registers, [&](const auto& entry) {
      if (!live.test(entry.first)) return true;
      auto& values = register_values_[{frame.code, frame.at, entry.first}];
      values.insert(entry.second);
      return values.size() > coarseness_.values;
    });
  }
  for (Cell& cell : state.cells) {
    if (cell.value.is_any()) continue;
    auto& values = cell_values_[cell.spot];
    if (values.size() <= coarseness_.values) values.insert(cell.value);
    if (values.size() > coarseness_.values) cell.value = {};
  }
  state.settle();
  next_->push_back(std::move(state));
}

Machine::Next Machine::execute(State& state, size_t index) {
  ThreadState& thread = state.threads[index];
  if (thread.phase == Phase::finished || thread.phase == Phase::gone ||
      thread.phase == Phase::at_barrier)
    return Next::drop;
  Frame& frame = thread.frames.back();
  const llvm::Instruction& instruction = (*frame.code)[frame.at];
  if (instruction.isTerminator()) return execute_terminator(state, index, instruction);
  if (const auto* intrinsic_call = dyn_cast<llvm::IntrinsicInst>(&instruction))
    return intrinsic(state, index, *intrinsic_call);
  if (const auto* called = dyn_cast<llvm::CallBase>(&instruction))
    return call(state, index, *called);
  if (const auto* slot = dyn_cast<llvm::AllocaInst>(&instruction)) {
    const ObjectIndex object = places_.allocate(state, *slot, thread);
    if (!places_[object].is_summary) frame.slots.push_back(object);
    set(thread, instruction, {.kind = Value::Kind::pointer, .id = object});
    return Next::next;
  }
  if (instruction.mayReadOrWriteMemory()) return access_memory(state, index, instruction);
  if (relevance_.is_relevant(instruction)) set(thread, instruction, compute(instruction, thread));
  return Next::next;
}

Machine::Next Machine::execute_terminator(State& state, size_t index,
                                          const llvm::Instruction& instruction) {
  ThreadState& thread = state.threads[index];
  if (const auto* one = dyn_cast<llvm::BranchInst>(&instruction)) return branch(state, index, *one);
  if (const auto* one = dyn_cast<llvm::SwitchInst>(&instruction)) return choose(state, index, *one);
  if (const auto* one = dyn_cast<llvm::ReturnInst>(&instruction)) {
    Value result;
    if (one->getReturnValue()) result = value_of(*one->getReturnValue(), thread);
    return leave_function(state, index, result);
  }
  // The program ends here, or what follows does not count.
  if (llvm::isa<llvm::UnreachableInst>(instruction)) return Next::drop;
  return fail("control that the product does not follow");
}

Machine::Next Machine::jump(Frame& frame, const llvm::BasicBlock& from, const llvm::BasicBlock& to,
                            State& state, size_t index) {
  std::vector<std::pair<const llvm::PHINode*, Value>> values;
  for (const llvm::PHINode& phi : to.phis())
    values.emplace_back(&phi, value_of(*phi.getIncomingValueForBlock(&from), state.threads[index]));
  for (const auto& [phi, value] : values) set(state.threads[index], *phi, value);
  const uint32_t start = frame.code->start_of(to);
  const bool is_backwards = start <= frame.at;
  frame.at = start + static_cast<uint32_t>(values.size());
  // A loop whose length is unknown goes round once in each step.
  return is_backwards && forked_ ? Next::stop : Next::jumped;
}

// What a condition says of the registers it compares.
void Machine::learn(Frame& frame, const llvm::Value& condition, bool holds) const {
  if (!relevance_.is_relevant(condition)) return;
  frame.write(frame.code->slot_of(condition), {.kind = Value::Kind::number, .bits = holds});
  const auto* compare = dyn_cast<llvm::ICmpInst>(&condition);
  if (!compare || !compare->isEquality()) return;
  const auto* constant = dyn_cast<llvm::Constant>(compare->getOperand(1));
  const llvm::Value& other = *compare->getOperand(0);
  if (!constant || !relevance_.is_relevant(other)) return;
  const bool equal = (compare->getPredicate() == llvm::CmpInst::ICMP_EQ) == holds;
  const uint32_t slot = frame.code->slot_of(other);
  if (!frame.read(slot).is_any() || llvm::isa<llvm::AtomicCmpXchgInst>(other)) return;
  if (equal)
    frame.write(slot, constant_value(*constant));
  else if (other.getType()->isIntegerTy(1) && llvm::isa<llvm::ConstantInt>(constant))
    frame.write(slot, {.kind = Value::Kind::number,
                       .bits = llvm::cast<llvm::ConstantInt>(constant)->isZero()});
}

Machine::Next Machine::branch(State& state, size_t index, const llvm::BranchInst& branch) {
  const llvm::BasicBlock& from = *branch.getParent();
  Frame& frame = state.threads[index].frames.back();
  if (branch.isUnconditional()) return jump(frame, from, *branch.getSuccessor(0), state, index);
  const Value condition = value_of(*branch.getCondition(), state.threads[index]);
  if (condition.kind == Value::Kind::number)
    return jump(frame, from, *branch.getSuccessor(condition.bits != 0 ? 0 : 1), state, index);
  State& other = fork(state);
  Frame& there = other.threads[index].frames.back();
  learn(there, *branch.getCondition(), false);
  end_fork(jump(there, from, *branch.getSuccessor(1), other, index), index);
  learn(frame, *branch.getCondition(), true);
  return jump(frame, from, *branch.getSuccessor(0), state, index);
}

Machine::Next Machine::choose(State& state, size_t index, const llvm::SwitchInst& choice) {
  const llvm::BasicBlock& from = *choice.getParent();
  Frame& frame = state.threads[index].frames.back();
  const Value condition = value_of(*choice.getCondition(), state.threads[index]);
  if (condition.kind == Value::Kind::number) {
    for (const auto& one : choice.cases())
      if (one.getCaseValue()->getZExtValue() == condition.bits)
        return jump(frame, from, *one.getCaseSuccessor(), state, index);
    return jump(frame, from, *choice.getDefaultDest(), state, index);
  }
  for (const auto& one : choice.cases()) {
    State& other = fork(state);
    Frame& there = other.threads[index].frames.back();
    const llvm::Value& chosen = *choice.getCondition();
    if (relevance_.is_relevant(chosen))
      there.write(there.code->slot_of(chosen), constant_value(*one.getCaseValue()));
    end_fork(jump(there, from, *one.getCaseSuccessor(), other, index), index);
  }
  return jump(frame, from, *choice.getDefaultDest(), state, index);
}

Machine::Next Machine::leave_function(State& state, size_t index, const Value& result) {
  ThreadState& thread = state.threads[index];
  if (thread.frames.size() == 1) {
    // The end of main is the end of the program.
    if (thread.kind == number(kMain)) return Next::drop;
    return end_thread(state, index);
  }
  const Frame ended = std::move(thread.frames.back());
  thread.frames.pop_back();
  for (ObjectIndex object : ended.slots) state.end_object(object);
  const auto& call = llvm::cast<llvm::CallBase>(*ended.call);
  if (const llvm::Function* callee = call.getCalledFunction(); callee && callee->isDeclaration())
    end_once(state, index, call);
  else if (!call.getType()->isVoidTy())
    set(thread, call, result);
  return Next::next;
}

Machine::Next Machine::end_thread(State& state, size_t index) {
  ThreadState& thread = state.threads[index];
  for (const Frame& frame : thread.frames)
    for (ObjectIndex object : frame.slots) state.end_object(object);
  thread.frames.clear();
  thread.phase = Phase::finished;
  return Next::stop;
}

Machine::Next Machine::enter(State& state, size_t index, const llvm::CallBase& call,
                             const llvm::Function& callee) {
  ThreadState& thread = state.threads[index];
  if (thread.frames.size() >= kMaxFrames) return fail("calls that go too deep");
  if (callee.isVarArg() || llvm::isa<llvm::InvokeInst>(call))
    return fail("a call the product does not follow");
  Frame frame{.code = &codes_.of(callee), .call = &call};
  for (unsigned i = 0; i < std::min<size_t>(callee.arg_size(), call.arg_size()); i++)
    if (relevance_.is_relevant(*callee.getArg(i)))
      frame.write(frame.code->slot_of(*callee.getArg(i)), value_of(*call.getArgOperand(i), thread));
  thread.frames.push_back(std::move(frame));
  return Next::jumped;
}

Machine::Next Machine::call(State& state, size_t index, const llvm::CallBase& call) {
  if (const llvm::Function* callee = call.getCalledFunction()) {
    if (!callee->isDeclaration()) return enter(state, index, call, *callee);
    return call_external(state, index, call);
  }
  if (call.isInlineAsm()) {
    const auto* assembly = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
    if (llvm::StringRef(assembly->getAsmString()).trim().empty()) return Next::next;
    return fail("inline assembly");
  }
  if (rules_.points_to.may_call_unknown(call)) return fail("a call of code nobody can see");
  const Value called = value_of(*call.getCalledOperand(), state.threads[index]);
  std::vector<const llvm::Function*> callees;
  for (const bitcode::CallEdge& edge : rules_.points_to.calls())
    if (edge.call == &call) callees.push_back(edge.callee);
  if (callees.empty()) return Next::drop;
  if (called.kind == Value::Kind::function)
    callees = {reinterpret_cast<const llvm::Function*>(called.bits)};
  for (const llvm::Function* callee : callees)
    if (callee->isDeclaration()) return fail("a library function called through a pointer");
  for (size_t i = 1; i < callees.size(); i++) enter(fork(state), index, call, *callees[i]);
  return enter(state, index, call, *callees.front());
}

std::vector<Machine::Pending> Machine::pending(const State& state, const ThreadState& thread) {
  std::vector<Pending> found;
  (void)state;
  if (thread.phase != Phase::running) return found;
  const Frame& frame = thread.frames.back();
  const auto suspects = suspects_.find({&(*frame.code)[frame.at], thread.kind});
  if (suspects == suspects_.end()) return found;
  for (AccessIndex index : suspects->second) {
    const Access& access = rules_.accesses[index];
    found.push_back({index, access.pointer ? value_of(*access.pointer, thread) : Value{}});
  }
  return found;
}

bool Machine::may_conflict(const Pending& a, const Pending& b) const {
  const auto is_placed = [](const Value& value) {
    return value.kind == Value::Kind::pointer || value.kind == Value::Kind::somewhere;
  };
  if (!is_placed(a.pointer) || !is_placed(b.pointer)) return true;
  if (a.pointer.id != b.pointer.id) {
    // Of what is made too often to tell apart, one may be among the others.
    const auto &one = places_[a.pointer.id], &other = places_[b.pointer.id];
    return one.site == other.site && (one.is_summary || other.is_summary);
  }
  if (a.pointer.kind != Value::Kind::pointer || b.pointer.kind != Value::Kind::pointer) return true;
  const uint64_t from_a = a.pointer.bits, from_b = b.pointer.bits;
  const auto size_a = rules_.accesses[a.access].extent, size_b = rules_.accesses[b.access].extent;
  return (!size_a || from_b < from_a + *size_a) && (!size_b || from_a < from_b + *size_b);
}

}  // namespace foretell::static_analysis
