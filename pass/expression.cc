// SPDX-License-Identifier: Apache-2.0

#include "expression.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace foretell::pass {

using llvm::dyn_cast;
using llvm::dyn_cast_or_null;
using llvm::isa;

namespace {

constexpr unsigned kMaxDepth = 8;

// Without what returns the address it is given: casts, the intrinsic around thread-locals.
const llvm::Value* same_address(const llvm::Value* pointer) {
  while (true) {
    pointer = pointer->stripPointerCastsAndAliases();
    const auto* call = dyn_cast<llvm::IntrinsicInst>(pointer);
    if (!call) return pointer;
    switch (call->getIntrinsicID()) {
      case llvm::Intrinsic::threadlocal_address:
      case llvm::Intrinsic::launder_invariant_group:
      case llvm::Intrinsic::strip_invariant_group:
      case llvm::Intrinsic::ptr_annotation:
      case llvm::Intrinsic::ptrmask:
        pointer = call->getArgOperand(0);
        break;
      default:
        return pointer;
    }
  }
}

constexpr llvm::StringRef kLockHolders[] = {"lock_guard", "unique_lock", "shared_lock",
                                            "scoped_lock"};

// A guard is in a register as the address of its mutex, which it is not.
bool is_lock_holder(const llvm::DIType* type) {
  const auto* composite = dyn_cast_or_null<llvm::DICompositeType>(strip(type));
  if (!composite || !composite->getScope() || composite->getScope()->getName() != "std")
    return false;
  return llvm::any_of(kLockHolders, [&](llvm::StringRef holder) {
    return composite->getName().starts_with((holder + "<").str());
  });
}

// The type of what a function of POSIX or C11 synchronizes with; empty for other functions.
llvm::StringRef synchronizer_of(const llvm::CallBase& call) {
  static constexpr std::pair<llvm::StringRef, llvm::StringRef> kTypes[] = {
      {"pthread_mutex_", "pthread_mutex_t"},
      {"pthread_rwlock_", "pthread_rwlock_t"},
      {"pthread_cond_", "pthread_cond_t"},
      {"pthread_spin_", "pthread_spinlock_t"},
      {"pthread_barrier_", "pthread_barrier_t"},
      {"sem_", "sem_t"},
      {"mtx_", "mtx_t"},
      {"cnd_", "cnd_t"}};
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee) return "";
  for (const auto& [prefix, type] : kTypes) {
    if (callee->getName().starts_with(prefix)) return type;
  }
  return "";
}

}  // namespace

Expressions::Expressions(llvm::Function& function)
    : layout_(function.getParent()->getDataLayout()) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    for (llvm::DbgVariableRecord& record : llvm::filterDbgVars(instruction.getDbgRecordRange())) {
      const Variable entry{record.getVariable(), record.getDebugLoc()->getInlinedAt()};
      if (record.isDbgAssign() && record.getAddress() &&
          record.getAddressExpression()->getNumElements() == 0 &&
          !record.getExpression()->getFragmentInfo())
        slots_[record.getAddress()].push_back(entry);
      if (record.hasArgList() || record.getNumVariableLocationOps() != 1) continue;
      const llvm::Value* value = record.getVariableLocationOp(0);
      const llvm::DIExpression* expression = record.getExpression();
      if (!value || isa<llvm::Constant>(value)) continue;
      const bool plain = expression->getNumElements() == 0;
      const bool deref = expression->getNumElements() == 1 && expression->startsWithDeref();
      if (record.isDbgDeclare() ? plain : deref) slots_[value].push_back(entry);
      if (!record.isDbgDeclare() && plain) values_[value].push_back(entry);
    }
  }
}

std::string Expressions::of_access(const llvm::Value* pointer, uint64_t size,
                                   const Position& position) {
  position_ = &position;
  return finish(place_of(pointer, 0), size).text;
}

namespace {

// std::lock_guard guard(mutex): what is locked is the mutex, not the guard.
bool is_lock_holder(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee || callee->isIntrinsic() || call.arg_size() < 2) return false;
  const std::string name = function_name(*callee);
  return llvm::any_of(kLockHolders, [&](llvm::StringRef holder) {
    return llvm::StringRef(name).starts_with(("std::" + holder + "<").str()) &&
           llvm::StringRef(name).ends_with(("::" + holder).str());
  });
}

}  // namespace

std::string Expressions::of_call(const llvm::CallBase& call, const Position& position) {
  position_ = &position;
  const bool locks = is_lock_holder(call);
  for (const llvm::Use& use : llvm::drop_begin(call.args(), locks ? 1 : 0)) {
    const unsigned number = call.getArgOperandNo(&use);
    if (!use->getType()->isPointerTy() || call.paramHasAttr(number, llvm::Attribute::StructRet))
      continue;
    if (isa<llvm::Function>(use) || isa<llvm::ConstantPointerNull>(use)) return "";
    const llvm::Value* pointer = same_address(use);
    if (isa<llvm::GlobalVariable>(pointer) && cast<llvm::GlobalVariable>(pointer)->isConstant())
      return "";
    Place place = place_of(pointer, 0);
    if (locks) return finish(place, 1).text;
    if (std::string text = synchronizer_at(place, synchronizer_of(call)); !text.empty())
      return text;
    // A pointer the user has is passed as it is; an object is passed by its address.
    if (place.through_pointer && place.offset == 0 && !place.inside) return place.text;
    // The callee's type decides how far down the object goes; unknown here, so the whole member.
    const bool is_member = place.offset != 0 || isa<llvm::GEPOperator>(pointer);
    return is_member ? finish(place, 1).text : place.text;
  }
  return "";
}

Expressions::Global Expressions::describe(const llvm::GlobalVariable& global) {
  llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> entries;
  global.getDebugInfo(entries);
  for (const llvm::DIGlobalVariableExpression* entry : entries) {
    const llvm::DIGlobalVariable* variable = entry->getVariable();
    if (variable->getName().empty()) continue;
    Global result{variable_name(*variable), variable->getType(), 0};
    if (auto fragment = entry->getExpression()->getFragmentInfo())
      result.offset = fragment->OffsetInBits / 8;
    return result;
  }
  return {symbol_name(global.getName()), nullptr, 0};
}

const llvm::DILocalVariable* Expressions::variable(const Variables& of, const llvm::Value* value,
                                                   bool of_this_frame) const {
  const auto found = of.find(value);
  if (found == of.end()) return nullptr;
  const llvm::DILocalVariable* best = nullptr;
  int best_rank = -1;
  for (const Variable& each : found->second) {
    const bool here = position_ && each.variable->getScope()->getSubprogram() == position_->scope &&
                      each.inlined_at == position_->inlined_at;
    if (each.variable->getName().empty() || (of_this_frame && !here)) continue;
    if (&of == &values_ && is_lock_holder(each.variable->getType())) continue;
    // In the user's own code a name of the library's means nothing, nor does another frame's this.
    if (position_ && !position_->library &&
        (is_reserved(each.variable->getName()) || (each.variable->isArtificial() && !here)))
      continue;
    const int rank = (here ? 4 : 0) + (each.variable->isArtificial() ? 0 : 2) +
                     (is_reserved(each.variable->getName()) ? 0 : 1);
    if (rank > best_rank) best_rank = rank, best = each.variable;
  }
  return best;
}

const llvm::DILocalVariable* Expressions::frame_variable(const llvm::Value* value) const {
  const auto* named = variable(values_, value, true);
  return named && !named->isArtificial() ? named : nullptr;
}

Place Expressions::place_of(const llvm::Value* pointer, unsigned depth) {
  if (depth > kMaxDepth) return {};
  pointer = same_address(pointer);
  if (const auto* slot = variable(slots_, pointer, false))
    return {.text = slot->getName().str(), .type = slot->getType()};
  if (const auto* global = dyn_cast<llvm::GlobalVariable>(pointer)) {
    Global described = describe(*global);
    return {.text = std::move(described.name),
            .type = described.type,
            .offset = static_cast<int64_t>(described.offset)};
  }
  if (const auto* gep = dyn_cast<llvm::GEPOperator>(pointer)) {
    // `int* p = &a[i]; *p = 1;` is written with p; an inlined function's `this` is not.
    if (const auto* named = frame_variable(pointer))
      return dereference({named->getName().str(), named->getType()});
    return index(*gep, depth);
  }
  return dereference(term_of(pointer, depth));
}

// Address computations that feed each other are one: optimization splits `p[i + 1]` in two.
Place Expressions::index(const llvm::GEPOperator& last, unsigned depth) {
  const unsigned bits = layout_.getIndexTypeSizeInBits(last.getType());
  llvm::MapVector<llvm::Value*, llvm::APInt> variable_offsets;
  llvm::APInt constant_offset(bits, 0);
  const llvm::Value* root = &last;
  while (const auto* gep = dyn_cast<llvm::GEPOperator>(root)) {
    if (root != &last && frame_variable(root)) break;
    if (!gep->collectOffset(layout_, bits, variable_offsets, constant_offset)) return {};
    root = same_address(gep->getPointerOperand());
  }
  Place place = place_of(root, depth + 1);
  if (place.text.empty()) return {};
  place.offset += constant_offset.getSExtValue();
  std::vector<std::pair<uint64_t, llvm::Value*>> steps;
  for (const auto& [value, scale] : variable_offsets)
    steps.emplace_back(scale.getZExtValue(), value);
  std::ranges::sort(steps, std::greater<>(), &std::pair<uint64_t, llvm::Value*>::first);
  for (const auto& [stride, value] : steps) {
    const std::string text = term_of(value, depth + 1).text;
    element(place, text.empty() ? "..." : text, stride);
  }
  return place;
}

Term Expressions::term_of(const llvm::Value* value, unsigned depth) {
  if (depth > kMaxDepth) return {};
  if (const auto* named = variable(values_, value, false))
    return {named->getName().str(), named->getType()};
  if (const auto* number = dyn_cast<llvm::ConstantInt>(value))
    return {number->getBitWidth() <= 64 ? std::to_string(number->getSExtValue()) : "", nullptr};
  if (const auto* load = dyn_cast<llvm::LoadInst>(value))
    return finish(place_of(load->getPointerOperand(), depth + 1),
                  layout_.getTypeStoreSize(load->getType()));
  if (isa<llvm::CastInst>(value) || isa<llvm::FreezeInst>(value))
    return term_of(cast<llvm::Instruction>(value)->getOperand(0), depth + 1);
  if (const auto* call = dyn_cast<llvm::CallBase>(value)) return term_of_call(*call, depth);
  if (const auto* binary = dyn_cast<llvm::BinaryOperator>(value)) {
    const char* sign = nullptr;
    switch (binary->getOpcode()) {
      case llvm::Instruction::Add:
        sign = "+";
        break;
      case llvm::Instruction::Sub:
        sign = "-";
        break;
      case llvm::Instruction::Mul:
        sign = "*";
        break;
      case llvm::Instruction::And:
        sign = "&";
        break;
      case llvm::Instruction::URem:
      case llvm::Instruction::SRem:
        sign = "%";
        break;
      default:
        return {};
    }
    const std::string left = term_of(binary->getOperand(0), depth + 1).text;
    const std::string right = term_of(binary->getOperand(1), depth + 1).text;
    if (left.empty() || right.empty()) return {};
    if (*sign == '+' && right.starts_with("-")) return {left + right, nullptr};
    return {left + sign + right, nullptr};
  }
  if (isa<llvm::AllocaInst>(value) || isa<llvm::GlobalVariable>(value) ||
      isa<llvm::GEPOperator>(value)) {
    const std::string text = finish(place_of(value, depth + 1), 1).text;
    return {text.empty() ? "" : "&" + text, nullptr};
  }
  return {};
}

// Overloaded operators are written as operators, other functions as `f()`.
Term Expressions::term_of_call(const llvm::CallBase& call, unsigned depth) {
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee || callee->isIntrinsic()) return {};
  const llvm::DISubprogram* subprogram = callee->getSubprogram();
  const llvm::DIType* type = nullptr;
  if (subprogram && subprogram->getType() && subprogram->getType()->getTypeArray().size() > 0)
    type = subprogram->getType()->getTypeArray()[0];
  const std::string name = function_name(*callee);
  const auto object = [&](unsigned argument) {
    Place place = place_of(call.getArgOperand(argument), depth + 1);
    return place.through_pointer ? (place.text == "this" ? "(*this)" : "(*" + place.text + ")")
                                 : place.text;
  };
  if (llvm::StringRef(name).ends_with("::operator[]") && call.arg_size() == 2) {
    const std::string base = object(0);
    Term index = term_of(call.getArgOperand(1), depth + 1);
    if (base.empty()) return {};
    return {base + "[" + (index.text.empty() ? "..." : index.text) + "]", type, true};
  }
  if (llvm::StringRef(name).ends_with("::operator->") && call.arg_size() == 1)
    return {object(0), type};
  if (llvm::StringRef(name).ends_with("::operator*") && call.arg_size() == 1) {
    const std::string base = object(0);
    if (!base.empty()) return {"*" + base, type, true};
  }
  const size_t last = name.rfind("::");
  return {(last == std::string::npos ? name : name.substr(last + 2)) + "()", type};
}

}  // namespace foretell::pass
