// SPDX-License-Identifier: Apache-2.0

#include "bitcode/control_scope/conduct.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include "bitcode/components.h"
#include "bitcode/control_scope/control_dependence.h"

namespace foretell::bitcode {

using llvm::dyn_cast;
using llvm::isa;

bool Conduct::add(const Conduct& other) {
  bool grew = writes.add(other.writes);
  const auto join = [&](bool& flag, bool more) {
    grew |= more && !flag;
    flag |= more;
  };
  join(synchronizes, other.synchronizes);
  join(calls_unknown, other.calls_unknown);
  join(allocates, other.allocates);
  join(has_state, other.has_state);
  join(may_trap, other.may_trap);
  join(may_stop, other.may_stop);
  join(may_unwind, other.may_unwind);
  return grew;
}

Conducts::Conducts(const llvm::Module& module, PointsTo& points_to,
                   const llvm::DenseMap<const llvm::Function*, EndingLoops>& ending)
    : points_to_(points_to), layout_(module.getDataLayout()) {
  for (const CallEdge& edge : points_to.calls()) {
    callees_[edge.call].push_back(edge.callee);
    called_by_[edge.callee].push_back(edge.call->getFunction());
  }
  llvm::SetVector<const llvm::Function*> left;
  for (const llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    Conduct conduct = own(function);
    conduct.may_stop |= has_endless_loop(function, ending.find(&function)->second);
    functions_[&function] = std::move(conduct);
    left.insert(&function);
  }
  find_recursion(module);
  // Code nobody can see may call whatever has escaped.
  functions_[kUnknownCode].writes.insert(number(kUnknownTarget));
  for (const llvm::Function* entry : points_to.entries()) called_by_[entry].push_back(kUnknownCode);
  for (const auto& [function, conduct] : functions_)
    if (function != kUnknownCode && conduct.calls_unknown)
      called_by_[kUnknownCode].push_back(function);
  left.insert(kUnknownCode);
  // What a function does, its callers do.
  while (!left.empty()) {
    const llvm::Function* callee = left.pop_back_val();
    for (const llvm::Function* caller : called_by_[callee]) {
      if (caller == callee) continue;
      // That the caller may catch all exceptions is not looked at.
      const Conduct& done = functions_[callee];
      if (functions_[caller].add(done)) left.insert(caller);
    }
  }
}

void Conducts::find_recursion(const llvm::Module& module) {
  std::vector<const llvm::Function*> functions;
  llvm::DenseMap<const llvm::Function*, uint32_t> numbers;
  for (const llvm::Function& function : module) {
    numbers[&function] = static_cast<uint32_t>(functions.size());
    functions.push_back(&function);
  }
  std::vector<std::vector<uint32_t>> edges(functions.size());
  for (const CallEdge& edge : points_to_.calls())
    edges[numbers[edge.call->getFunction()]].push_back(numbers[edge.callee]);
  Components components(functions.size());
  for (uint32_t root = 0; root < functions.size(); root++)
    components.visit(
        root, [&](uint32_t node) -> const std::vector<uint32_t>& { return edges[node]; },
        [](uint32_t) { return true; },
        [&](const std::vector<uint32_t>& members) {
          const auto& own = edges[members.front()];
          if (members.size() == 1 && std::ranges::find(own, members.front()) == own.end()) return;
          for (uint32_t member : members) functions_[functions[member]].may_stop = true;
        });
}

bool Conducts::has_endless_loop(const llvm::Function& function, const EndingLoops& ending) const {
  FlowGraph graph;
  llvm::DenseMap<const llvm::BasicBlock*, uint32_t> numbers;
  std::vector<const llvm::BasicBlock*> blocks;
  for (const llvm::BasicBlock& block : function) {
    numbers[&block] = static_cast<uint32_t>(blocks.size());
    blocks.push_back(&block);
  }
  for (const llvm::BasicBlock* block : blocks) {
    FlowGraph::Node& node = graph.nodes.emplace_back();
    for (const llvm::BasicBlock* next : llvm::successors(block))
      node.successors.push_back(numbers[next]);
  }
  for (const FlowCycle& cycle : cycles_of(graph)) {
    const auto loop = ending.find(blocks[cycle.header]);
    if (loop == ending.end() || loop->second.size() != cycle.nodes.size()) return true;
  }
  return false;
}

Conduct Conducts::own(const llvm::Function& function) {
  Conduct conduct;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* call = dyn_cast<llvm::CallBase>(&instruction);
    // Those with code are added when theirs is known.
    if (call && !call->isInlineAsm() && !isa<llvm::IntrinsicInst>(call)) {
      for (const llvm::Function* callee : callees_[call])
        if (callee->isDeclaration()) conduct.add(of_external(*call, *callee));
      if (points_to_.may_call_unknown(*call))
        conduct.calls_unknown = conduct.may_stop = conduct.may_unwind = true;
    } else {
      conduct.add(of(instruction));
    }
  }
  return conduct;
}

// Whether nothing says that the pointer is good: it is good inside a variable of the program.
bool Conducts::may_trap(const llvm::Value& pointer, const llvm::Type* type) const {
  const llvm::DataLayout& layout = layout_;
  llvm::APInt offset(64, 0);
  const llvm::Value* base =
      pointer.stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  std::optional<uint64_t> size;
  if (const auto* slot = dyn_cast<llvm::AllocaInst>(base)) {
    if (const auto known = slot->getAllocationSize(layout); known && !known->isScalable())
      size = known->getFixedValue();
  } else if (const auto* global = dyn_cast<llvm::GlobalVariable>(base)) {
    if (!global->hasExternalWeakLinkage() && global->getValueType()->isSized())
      size = layout.getTypeAllocSize(global->getValueType()).getFixedValue();
  }
  const llvm::TypeSize touched = layout.getTypeStoreSize(const_cast<llvm::Type*>(type));
  if (!size || touched.isScalable() || offset.isNegative()) return true;
  return offset.getZExtValue() + touched.getFixedValue() > *size;
}

void Conducts::add_targets(const llvm::Value& pointer, Conduct& conduct) {
  conduct.writes.add(points_to_.targets_of(pointer));
}

Conduct Conducts::of(const llvm::Instruction& instruction) {
  Conduct conduct;
  if (const auto* load = dyn_cast<llvm::LoadInst>(&instruction)) {
    conduct.synchronizes = load->isAtomic() || load->isVolatile();
    conduct.may_trap = may_trap(*load->getPointerOperand(), load->getType());
  } else if (const auto* store = dyn_cast<llvm::StoreInst>(&instruction)) {
    conduct.synchronizes = store->isAtomic() || store->isVolatile();
    conduct.may_trap = may_trap(*store->getPointerOperand(), store->getValueOperand()->getType());
    add_targets(*store->getPointerOperand(), conduct);
  } else if (isa<llvm::AtomicRMWInst>(instruction) || isa<llvm::AtomicCmpXchgInst>(instruction)) {
    conduct.synchronizes = conduct.may_trap = true;
    add_targets(*instruction.getOperand(0), conduct);
  } else if (isa<llvm::FenceInst>(instruction)) {
    conduct.synchronizes = true;
  } else if (const auto* call = dyn_cast<llvm::CallBase>(&instruction)) {
    return of_call(*call);
  } else if (instruction.isIntDivRem()) {
    const auto* divisor = dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
    conduct.may_trap = !divisor || divisor->isZero() || divisor->isMinusOne();
  } else if (isa<llvm::UnreachableInst>(instruction)) {
    conduct.may_stop = true;
  } else if (isa<llvm::ResumeInst>(instruction)) {
    conduct.may_unwind = true;
  } else if (isa<llvm::VAArgInst>(instruction)) {
    conduct.may_trap = true;
    add_targets(*instruction.getOperand(0), conduct);
  }
  return conduct;
}

Conduct Conducts::of_call(const llvm::CallBase& call) {
  if (isa<llvm::IntrinsicInst>(call)) return of_intrinsic(call);
  Conduct conduct;
  if (call.isInlineAsm()) {
    const auto* assembly = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
    const llvm::StringRef text = llvm::StringRef(assembly->getAsmString()).trim();
    // A comment does nothing, but the compiler takes it for a barrier.
    if (text.starts_with("# foretell")) return conduct;
    conduct.synchronizes = true;
    conduct.calls_unknown = conduct.may_stop = conduct.has_state = !text.empty();
    conduct.may_trap = !text.empty();
    if (!text.empty()) conduct.add(functions_[kUnknownCode]);
    for (const llvm::Use& argument : call.args())
      if (argument->getType()->isPtrOrPtrVectorTy()) add_targets(*argument, conduct);
    return conduct;
  }
  for (const llvm::Function* callee : callees_[&call])
    conduct.add(callee->isDeclaration() ? of_external(call, *callee) : functions_[callee]);
  if (points_to_.may_call_unknown(call))
    conduct.calls_unknown = conduct.may_stop = conduct.may_unwind = true;
  if (conduct.calls_unknown) conduct.add(functions_[kUnknownCode]);
  // A pointer to no function of the program.
  if (!call.getCalledFunction()) conduct.may_trap = true;
  if (call.doesNotThrow()) conduct.may_unwind = false;
  if (call.doesNotReturn()) conduct.may_stop = true;
  return conduct;
}

Conduct Conducts::of_external(const llvm::CallBase& call, const llvm::Function& callee) {
  const External& external = points_to_.externals().of(callee.getName());
  Conduct conduct;
  // Memory that is neither read nor written, and nothing else that could be noticed.
  if (callee.doesNotAccessMemory() && callee.doesNotThrow()) {
    conduct.may_stop = !callee.willReturn();
    return conduct;
  }
  for (unsigned i = 0; i < call.arg_size(); i++) {
    const llvm::Value& argument = *call.getArgOperand(i);
    if (argument.getType()->isPtrOrPtrVectorTy()) {
      conduct.may_trap = true;
      if (external.writes_through(i)) add_targets(argument, conduct);
    }
  }
  conduct.synchronizes = external.synchronizes;
  conduct.calls_unknown = external.effect == Effect::unknown;
  conduct.has_state = external.has_state;
  conduct.may_stop = !external.returns || callee.doesNotReturn();
  conduct.may_unwind = !external.returns && !callee.doesNotThrow();
  switch (external.effect) {
    case Effect::allocates:
    case Effect::allocates_into_first:
    case Effect::reallocates:
    case Effect::frees:
    case Effect::mixes:
      conduct.allocates = true;
      break;
    default:
      break;
  }
  return conduct;
}

Conduct Conducts::of_intrinsic(const llvm::CallBase& call) {
  Conduct conduct;
  if (const auto* memory = dyn_cast<llvm::AnyMemIntrinsic>(&call)) {
    conduct.may_trap = true;
    conduct.synchronizes =
        isa<llvm::MemIntrinsic>(memory) && llvm::cast<llvm::MemIntrinsic>(memory)->isVolatile();
    add_targets(*memory->getRawDest(), conduct);
    return conduct;
  }
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::trap:
    case llvm::Intrinsic::ubsantrap:
    case llvm::Intrinsic::debugtrap:
      conduct.may_trap = conduct.may_stop = true;
      return conduct;
    case llvm::Intrinsic::masked_load:
    case llvm::Intrinsic::masked_gather:
    case llvm::Intrinsic::masked_expandload:
      conduct.may_trap = true;
      return conduct;
    case llvm::Intrinsic::masked_store:
    case llvm::Intrinsic::masked_scatter:
    case llvm::Intrinsic::masked_compressstore:
      conduct.may_trap = true;
      add_targets(*call.getArgOperand(1), conduct);
      return conduct;
    case llvm::Intrinsic::vastart:
    case llvm::Intrinsic::vacopy:
      add_targets(*call.getArgOperand(0), conduct);
      return conduct;
    default:
      break;
  }
  // Marks for the compiler, and what computes from its operands.
  if (call.doesNotAccessMemory() || call.onlyAccessesInaccessibleMemory() ||
      call.onlyAccessesArgMemory() || isa<llvm::DbgInfoIntrinsic>(call))
    return conduct;
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::assume:
    case llvm::Intrinsic::stacksave:
    case llvm::Intrinsic::stackrestore:
    case llvm::Intrinsic::experimental_noalias_scope_decl:
    case llvm::Intrinsic::prefetch:
      return conduct;
    default:
      conduct.calls_unknown = true;
      conduct.add(functions_[kUnknownCode]);
      return conduct;
  }
}

bool Conducts::may_not_return(const llvm::CallBase& call) {
  if (isa<llvm::IntrinsicInst>(call) && !call.doesNotReturn()) return false;
  const Conduct conduct = of_call(call);
  return conduct.may_stop || (conduct.may_unwind && !isa<llvm::InvokeInst>(call));
}

}  // namespace foretell::bitcode
