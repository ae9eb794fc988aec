#include "bitcode/points_to.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

namespace foretell::bitcode {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;
using program::AccessKind;

namespace {

// Virtual tables and type descriptions of libraries: constant, and only their functions are called.
bool is_library_table(llvm::StringRef symbol) {
  return symbol.starts_with("_ZTV") || symbol.starts_with("_ZTI") || symbol.starts_with("_ZTS") ||
         symbol.starts_with("_ZTT");
}

bool is_wide(const llvm::Type* type) {
  return type->getScalarSizeInBits() >= 64 || type->isPtrOrPtrVectorTy();
}

}  // namespace

PointsTo::PointsTo(llvm::Module& module, const Surroundings& surroundings) : module_(module) {
  handed_over_.push_back(classes_.add());
  visit_globals(module);
  for (const llvm::Function& function : module)
    for (const llvm::Instruction& instruction : llvm::instructions(function)) visit(instruction);
  expose(module, surroundings);
  if (const llvm::Function* main = module.getFunction("main"))
    for (const llvm::Argument& argument : main->args()) classes_.make_unknown(of(&argument));
  solve();
}

void PointsTo::unite_all(std::vector<ClassId> members) {
  for (ClassId member : members) classes_.unite(members.front(), member);
}

ClassId PointsTo::result_of(const llvm::Function& function) {
  const auto [at, is_new] = results_.try_emplace(&function);
  if (is_new) at->second = classes_.add();
  return at->second;
}

ClassId PointsTo::variadic_of(const llvm::Function& function) {
  const auto [at, is_new] = variadics_.try_emplace(&function);
  if (is_new) at->second = classes_.add();
  return at->second;
}

ClassId PointsTo::of(const llvm::Value* value) {
  if (const auto* constant = dyn_cast<llvm::Constant>(value);
      constant && !isa<llvm::GlobalValue>(constant))
    return of_constant(constant);
  if (const auto* alias = dyn_cast<llvm::GlobalAlias>(value)) return of(alias->getAliasee());
  const auto [at, is_new] = of_.try_emplace(value);
  if (is_new) at->second = classes_.add();
  return at->second;
}

ClassId PointsTo::of_constant(const llvm::Constant* constant) {
  // Numbers, null and undefined values point to nothing. Each use has a class of its own, so that
  // null unites nobody.
  std::vector<ClassId> members = {classes_.add()};
  if (const auto* equivalent = dyn_cast<llvm::DSOLocalEquivalent>(constant))
    return of(equivalent->getGlobalValue());
  if (const auto* no_cfi = dyn_cast<llvm::NoCFIValue>(constant))
    return of(no_cfi->getGlobalValue());
  if (isa<llvm::BlockAddress>(constant)) return members.front();
  if (const auto* expression = dyn_cast<llvm::ConstantExpr>(constant)) {
    // From null, the offset is the address.
    if (isa<llvm::GEPOperator>(expression) &&
        !isa<llvm::ConstantPointerNull>(expression->getOperand(0)))
      return of(expression->getOperand(0));
  }
  for (const llvm::Use& operand : constant->operands()) members.push_back(of(operand));
  unite_all(members);
  return members.front();
}

void PointsTo::visit_globals(llvm::Module& module) {
  for (const llvm::GlobalVariable& global : module.globals()) {
    // Lists for the compiler: no code reads them.
    if (global.getName().starts_with("llvm.")) continue;
    const ClassId object = of(&global);
    if (global.isDeclaration()) {
      if (is_library_table(global.getName()))
        classes_.make_unknown(classes_.content(object));
      else
        classes_.make_unknown(object);
    } else {
      const ClassId initial = of(global.getInitializer());
      classes_.unite(classes_.content(object), initial);
    }
  }
  for (const llvm::GlobalIFunc& indirect : module.ifuncs()) {
    classes_.make_unknown(of(&indirect));
    classes_.make_unknown(of(indirect.getResolver()));
  }
  for (const llvm::Function& function : module)
    if (!function.isIntrinsic()) taken_.push_back(&function);
}

// Symbols that code outside the bitcode can name belong to the unknown. Only the start-up code
// calls main.
void PointsTo::expose(llvm::Module& module, const Surroundings& surroundings) {
  const auto expose_one = [&](const llvm::GlobalValue* global) {
    if (global && global->getName() != "main") classes_.make_unknown(of(global));
  };
  for (const std::string& name : surroundings.exported) expose_one(module.getNamedValue(name));
  if (surroundings.all_exported)
    for (const llvm::GlobalValue& global : module.global_values())
      if (!global.hasLocalLinkage() && !global.getName().starts_with("llvm.") &&
          !global.isDeclaration())
        expose_one(&global);
  expose_used(module);
  if (!module.getModuleInlineAsm().empty()) {
    assembly_uses_++;
    expose_names(module.getModuleInlineAsm(), module);
  }
}

// __attribute__((used)): by whom, the compiler cannot see.
void PointsTo::expose_used(llvm::Module& module) {
  llvm::SmallVector<llvm::GlobalValue*, 8> used;
  llvm::collectUsedGlobalVariables(module, used, /*CompilerUsed=*/false);
  llvm::collectUsedGlobalVariables(module, used, /*CompilerUsed=*/true);
  for (const llvm::GlobalValue* global : used) classes_.make_unknown(of(global));
}

// Assembly can name symbols without taking them as operands.
void PointsTo::expose_names(llvm::StringRef assembly, llvm::Module& module) {
  const auto in_name = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$'; };
  while (!assembly.empty()) {
    const llvm::StringRef word = assembly.take_while(in_name);
    assembly = assembly.drop_front(std::max<size_t>(word.size(), 1));
    if (word.empty()) continue;
    if (const llvm::GlobalValue* global = module.getNamedValue(word))
      classes_.make_unknown(of(global));
  }
}

void PointsTo::visit(const llvm::Instruction& instruction) {
  if (const auto* load = dyn_cast<llvm::LoadInst>(&instruction)) {
    touch(*load, AccessKind::read, of(load->getPointerOperand()));
    classes_.unite(of(load), content_of(load->getPointerOperand()));
  } else if (const auto* store = dyn_cast<llvm::StoreInst>(&instruction)) {
    touch(*store, AccessKind::write, of(store->getPointerOperand()));
    classes_.unite(of(store->getValueOperand()), content_of(store->getPointerOperand()));
  } else if (const auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    touch(*exchange, AccessKind::update, of(exchange->getPointerOperand()));
    unite_all({content_of(exchange->getPointerOperand()), of(exchange),
               of(exchange->getNewValOperand())});
  } else if (const auto* update = dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    touch(*update, AccessKind::update, of(update->getPointerOperand()));
    unite_all({content_of(update->getPointerOperand()), of(update), of(update->getValOperand())});
  } else if (const auto* call = dyn_cast<llvm::CallBase>(&instruction)) {
    visit_call(*call);
  } else if (isa<llvm::AllocaInst>(instruction)) {
    made_.push_back({&instruction, of(&instruction)});
  } else if (const auto* next = dyn_cast<llvm::VAArgInst>(&instruction)) {
    touch(*next, AccessKind::update, of(next->getPointerOperand()));
    unite_all({of(next), classes_.content(content_of(next->getPointerOperand())),
               content_of(next->getPointerOperand())});
  } else if (isa<llvm::LandingPadInst>(instruction)) {
    classes_.make_unknown(of(&instruction));
  } else if (const auto* end = dyn_cast<llvm::ReturnInst>(&instruction)) {
    if (end->getReturnValue())
      classes_.unite(result_of(*end->getFunction()), of(end->getReturnValue()));
  } else {
    visit_operator(instruction);
  }
}

// Instructions that compute a value from others.
void PointsTo::visit_operator(const llvm::Instruction& instruction) {
  const auto from = [&](const llvm::Value* operand) {
    classes_.unite(of(&instruction), of(operand));
  };
  switch (instruction.getOpcode()) {
    case llvm::Instruction::GetElementPtr:
      // An address computed as a number, in the form of an offset from null.
      if (isa<llvm::ConstantPointerNull>(instruction.getOperand(0)))
        for (const llvm::Use& operand : instruction.operands()) from(operand);
      return from(instruction.getOperand(0));
    case llvm::Instruction::ExtractValue:
    case llvm::Instruction::ExtractElement:
    case llvm::Instruction::Freeze:
    case llvm::Instruction::BitCast:
    case llvm::Instruction::AddrSpaceCast:
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::IntToPtr:
    case llvm::Instruction::Trunc:
    case llvm::Instruction::ZExt:
    case llvm::Instruction::SExt:
      return from(instruction.getOperand(0));
    case llvm::Instruction::InsertValue:
    case llvm::Instruction::InsertElement:
    case llvm::Instruction::ShuffleVector:
    case llvm::Instruction::And:
    case llvm::Instruction::Or:
    case llvm::Instruction::Xor:
      from(instruction.getOperand(0));
      return from(instruction.getOperand(1));
    case llvm::Instruction::Shl:
    case llvm::Instruction::LShr:
    case llvm::Instruction::AShr:
      return from(instruction.getOperand(0));
    case llvm::Instruction::Select:
      from(instruction.getOperand(1));
      return from(instruction.getOperand(2));
    case llvm::Instruction::PHI:
      for (const llvm::Use& operand : instruction.operands()) from(operand);
      return;
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
      if (!is_wide(instruction.getType())) return;
      from(instruction.getOperand(0));
      return from(instruction.getOperand(1));
    case llvm::Instruction::Resume:
      return classes_.make_unknown(of(instruction.getOperand(0)));
    default:
      return;  // comparisons, products, floating point, branches
  }
}

// --- Functions that are found while solving -----------------------------------------------------

void PointsTo::solve() {
  for (uint64_t before = ~uint64_t{0}; before != classes_.unions();) {
    before = classes_.unions();
    bool changed = resolve_calls();
    changed |= resolve_callbacks();
    changed |= expose_functions();
    if (changed) before = ~uint64_t{0};
  }
}

bool PointsTo::resolve_calls() {
  std::map<ClassId, std::vector<const llvm::Function*>> members;
  for (const llvm::Function* function : taken_)
    members[classes_.find(of(function))].push_back(function);
  bool changed = false;
  for (const llvm::CallBase* call : indirect_) {
    const ClassId callee = of(call->getCalledOperand());
    if (classes_.is_unknown(callee) && unknown_calls_.insert(call).second) {
      visit_unknown(*call);
      changed = true;
    }
    for (const llvm::Function* function : members[classes_.find(callee)]) {
      if (!resolved_.insert({call, function}).second) continue;
      connect(*call, *function, true);
      changed = true;
    }
  }
  return changed;
}

bool PointsTo::resolve_callbacks() {
  bool changed = false;
  for (size_t i = 0; i < callbacks_.size(); i++) {
    const Called called = callbacks_[i];
    if (classes_.is_unknown(called.function) && unknown_calls_.insert(called.call).second) {
      for (ClassId argument : called.arguments) classes_.make_unknown(argument);
      changed = true;
    }
    for (const llvm::Function* function : taken_) {
      if (!classes_.same(of(function), called.function) ||
          !resolved_.insert({called.call, function}).second)
        continue;
      changed = true;
      if (function->isDeclaration()) {
        for (ClassId argument : called.arguments) classes_.make_unknown(argument);
        unknown_functions_[function->getName().str()]++;
        continue;
      }
      for (size_t k = 0; k < called.arguments.size() && k < function->arg_size(); k++)
        classes_.unite(of(function->getArg(static_cast<unsigned>(k))), called.arguments[k]);
      if (called.kind == Callback::call) calls_.push_back({called.call, function, true});
      if (called.kind == Callback::exit_handler) exit_handlers_.insert(function);
      if (called.kind == Callback::entry) {
        entries_.insert(function);
        classes_.unite(result_of(*function), thread_result());
      }
    }
  }
  return changed;
}

// Functions the unknown knows may be called by any thread, with anything.
bool PointsTo::expose_functions() {
  bool changed = false;
  for (const llvm::Function* function : taken_) {
    if (!classes_.is_unknown(of(function)) || function->isDeclaration()) continue;
    if (!resolved_.insert({function, function}).second) continue;
    changed = true;
    entries_.insert(function);
    for (const llvm::Argument& argument : function->args()) classes_.make_unknown(of(&argument));
    classes_.make_unknown(variadic_of(*function));
    classes_.make_unknown(result_of(*function));
  }
  return changed;
}

}  // namespace foretell::bitcode
