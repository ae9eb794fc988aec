// SPDX-License-Identifier: Apache-2.0

#include "bitcode/code/lower.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <map>

#include "bitcode/code/lower_values.h"
#include "bitcode/points_to/points_to.h"

namespace foretell::bitcode {
namespace {

using llvm::dyn_cast;
using llvm::isa;
using program::AbstractBytes;
using program::Code;
using program::CodeFunction;
using program::CodeInstruction;
using program::CodePosition;
using program::Operand;
using program::Operation;

std::optional<Operation> operation_of(unsigned opcode) {
  switch (opcode) {
    case llvm::Instruction::Add:
      return Operation::add;
    case llvm::Instruction::Sub:
      return Operation::subtract;
    case llvm::Instruction::Mul:
      return Operation::multiply;
    case llvm::Instruction::UDiv:
      return Operation::udiv;
    case llvm::Instruction::URem:
      return Operation::urem;
    case llvm::Instruction::SDiv:
      return Operation::sdiv;
    case llvm::Instruction::SRem:
      return Operation::srem;
    case llvm::Instruction::And:
      return Operation::bit_and;
    case llvm::Instruction::Or:
      return Operation::bit_or;
    case llvm::Instruction::Xor:
      return Operation::bit_xor;
    case llvm::Instruction::Shl:
      return Operation::shl;
    case llvm::Instruction::LShr:
      return Operation::lshr;
    case llvm::Instruction::AShr:
      return Operation::ashr;
    case llvm::Instruction::ZExt:
      return Operation::zero_extend;
    case llvm::Instruction::SExt:
      return Operation::sign_extend;
    case llvm::Instruction::Trunc:
      return Operation::truncate;
    case llvm::Instruction::PtrToInt:
      return Operation::pointer_to_integer;
    case llvm::Instruction::IntToPtr:
      return Operation::integer_to_pointer;
    case llvm::Instruction::Freeze:
      return Operation::freeze;
    case llvm::Instruction::Select:
      return Operation::choose;
    case llvm::Instruction::PHI:
      return Operation::phi;
    case llvm::Instruction::Ret:
      return Operation::give_back;
    case llvm::Instruction::Unreachable:
      return Operation::unreachable;
    case llvm::Instruction::Load:
      return Operation::load;
    case llvm::Instruction::Store:
      return Operation::store;
    case llvm::Instruction::Call:
      return Operation::call;
    default:
      return {};
  }
}

program::KnownExternal known_external(const std::string& name) {
  const External& external = Externals::common().of(name);
  const bool is_known =
      !external.synchronizes &&
      (external.effect == Effect::touches || external.effect == Effect::transmits ||
       external.effect == Effect::finds || external.effect == Effect::copies ||
       external.effect == Effect::points_into);
  return {
      .is_known = is_known,
      .gives_library_memory = external.effect == Effect::finds,
      .gives_first = external.effect == Effect::copies || external.effect == Effect::points_into,
      .writes = external.writes};
}

// Variables of the C library that getopt sets.
bool is_of_getopt(llvm::StringRef global) {
  return global == "optarg" || global == "optind" || global == "optopt" || global == "opterr";
}

class Lowering {
 public:
  explicit Lowering(llvm::Module& module)
      : module_(module),
        layout_(module.getDataLayout()),
        points_to_(module, {}, Externals::common()),
        names_(module) {}

  Code run();

 private:
  void collect();
  CodePosition position_of(const llvm::DILocation* at);
  uint32_t file_of(llvm::StringRef name);
  void lower_global(const llvm::GlobalVariable& global);
  void lower_function(const llvm::Function& function);
  void name_variables(const llvm::Instruction& at, CodeFunction& to);
  void lower_block(const llvm::BasicBlock& block, program::CodeBlock& to);
  // False if it has no word.
  bool lower_into(const llvm::Instruction& from, CodeInstruction& to);
  bool lower_special(const llvm::Instruction& from, CodeInstruction& to);
  bool lower_address(const llvm::GetElementPtrInst& from, CodeInstruction& to);
  bool lower_comparison(const llvm::ICmpInst& from, CodeInstruction& to);
  bool lower_call(const llvm::CallInst& from, CodeInstruction& to);
  bool add(const llvm::Value& value, CodeInstruction& to);
  void add_writes(const Bits& targets, uint64_t size, CodeInstruction& to);
  uint32_t block_number(const llvm::BasicBlock* block) { return blocks_.find(block)->second; }

  llvm::Module& module_;
  const llvm::DataLayout& layout_;
  PointsTo points_to_;
  ValueNames names_;
  Code code_;
  llvm::DenseMap<const llvm::BasicBlock*, uint32_t> blocks_;
  llvm::DenseMap<const llvm::Value*, std::vector<uint32_t>> objects_;
  llvm::DenseMap<const llvm::Instruction*, std::vector<Touch>> writes_;
  llvm::DenseMap<const llvm::Instruction*, std::vector<uint32_t>> callees_;
  std::map<std::string, uint32_t> files_;
};

void Lowering::collect() {
  for (uint32_t i = 0; i < points_to_.objects().size(); i++)
    if (const llvm::Value* value = points_to_.objects()[i].value) objects_[value].push_back(i);
  for (const Touch& touch : points_to_.touches())
    if (touch.kind != program::AccessKind::read) writes_[touch.instruction].push_back(touch);
  for (const CallEdge& edge : points_to_.calls())
    if (!edge.callee->isIntrinsic()) callees_[edge.call].push_back(names_.number_of(*edge.callee));
  code_.abstract_objects = static_cast<uint32_t>(points_to_.objects().size());
}

Code Lowering::run() {
  collect();
  for (const llvm::GlobalVariable& global : module_.globals()) lower_global(global);
  for (const llvm::Function& function : module_) lower_function(function);
  return std::move(code_);
}

uint32_t Lowering::file_of(llvm::StringRef name) {
  const auto [at, is_new] =
      files_.try_emplace(name.str(), static_cast<uint32_t>(code_.files.size()));
  if (is_new) code_.files.push_back(name.str());
  return at->second;
}

CodePosition Lowering::position_of(const llvm::DILocation* at) {
  if (!at) return {};
  return {file_of(at->getFilename()), at->getLine(), at->getColumn()};
}

void Lowering::lower_global(const llvm::GlobalVariable& global) {
  program::CodeGlobal to{.name = global.getName().str(),
                         .is_constant = global.isConstant(),
                         .is_thread_local = global.isThreadLocal(),
                         .is_external = global.isDeclaration()};
  if (global.getValueType()->isSized()) to.size = layout_.getTypeAllocSize(global.getValueType());
  to.bytes.resize(to.size);
  if (global.hasInitializer() && !names_.initialize(*global.getInitializer(), 0, to))
    to.is_external = true;
  if (const auto known = objects_.find(&global); known != objects_.end())
    to.objects = known->second;
  code_.globals.push_back(std::move(to));
}

void Lowering::lower_function(const llvm::Function& function) {
  CodeFunction& to = code_.functions.emplace_back();
  to.name = function.getName().str();
  to.parameters = static_cast<uint32_t>(function.arg_size());
  to.is_variadic = function.isVarArg();
  to.returns_pointer = function.getReturnType()->isPointerTy();
  to.result_width = width_of(*function.getReturnType()).value_or(0);
  if (const llvm::DISubprogram* about = function.getSubprogram())
    to.position = {file_of(about->getFilename()), about->getLine(), 0};
  to.returns_real = function.getReturnType()->isFloatingPointTy();
  if (function.isDeclaration()) {
    to.external = known_external(to.name);
    return;
  }
  to.registers = names_.enter(function);
  to.names.resize(to.registers);
  for (const llvm::Instruction& instruction : llvm::instructions(function))
    name_variables(instruction, to);
  blocks_.clear();
  for (const llvm::BasicBlock& block : function)
    blocks_[&block] = static_cast<uint32_t>(blocks_.size());
  to.blocks.resize(blocks_.size());
  for (const llvm::BasicBlock& block : function)
    lower_block(block, to.blocks[block_number(&block)]);
}

// Registers that hold a variable of the source, by the debug information.
void Lowering::name_variables(const llvm::Instruction& at, CodeFunction& to) {
  const auto name = [&](const llvm::Value* value, const llvm::DILocalVariable* variable) {
    if (value && !isa<llvm::Constant>(value) &&
        (isa<llvm::Instruction>(value) || isa<llvm::Argument>(value)))
      to.names[names_.register_of(*value)] = variable->getName().str();
  };
  for (llvm::DbgVariableRecord& record : llvm::filterDbgVars(at.getDbgRecordRange()))
    if (record.isDbgValue() && record.getNumVariableLocationOps() == 1)
      name(record.getVariableLocationOp(0), record.getVariable());
  if (const auto* says = dyn_cast<llvm::DbgValueInst>(&at);
      says && says->getNumVariableLocationOps() == 1)
    name(says->getVariableLocationOp(0), says->getVariable());
}

void Lowering::lower_block(const llvm::BasicBlock& block, program::CodeBlock& to) {
  for (const llvm::Instruction& from : block) {
    const uint32_t id = code_.instructions++;
    if (isa<llvm::DbgInfoIntrinsic>(from) || from.isLifetimeStartOrEnd()) continue;
    CodeInstruction instruction{.id = id, .position = position_of(from.getDebugLoc())};
    if (!from.getType()->isVoidTy()) {
      instruction.result = names_.register_of(from);
      instruction.width = width_of(*from.getType()).value_or(0);
      instruction.makes_pointer = from.getType()->isPointerTy();
      instruction.makes_real = from.getType()->isFloatingPointTy();
    }
    if (!lower_into(from, instruction)) {
      instruction.operation = Operation::unsupported;
      llvm::raw_string_ostream out(instruction.text);
      from.print(out);
      instruction.text.erase(0, instruction.text.find_first_not_of(' '));
      instruction.text.resize(std::min<size_t>(instruction.text.find(", !dbg"), 120));
    }
    to.instructions.push_back(std::move(instruction));
  }
}

bool Lowering::add(const llvm::Value& value, CodeInstruction& to) {
  const auto operand = names_.operand_of(value);
  if (operand) to.operands.push_back(*operand);
  return operand.has_value();
}

void Lowering::add_writes(const Bits& targets, uint64_t size, CodeInstruction& to) {
  const Targets& all = points_to_.solution().targets();
  targets.for_each([&](uint32_t target) {
    const Target& at = all[TargetId{target}];
    to.writes.push_back({number(at.object), at.offset, at.stride, size});
  });
}

bool Lowering::lower_into(const llvm::Instruction& from, CodeInstruction& to) {
  if (const auto* call = dyn_cast<llvm::CallInst>(&from)) return lower_call(*call, to);
  if (const auto* compare = dyn_cast<llvm::ICmpInst>(&from)) return lower_comparison(*compare, to);
  if (const auto* address = dyn_cast<llvm::GetElementPtrInst>(&from))
    return lower_address(*address, to);
  if (lower_special(from, to)) return true;
  const auto operation = operation_of(from.getOpcode());
  if (!operation) return false;
  to.operation = *operation;
  if (to.result != program::kNoRegister && !width_of(*from.getType())) return false;
  for (const llvm::Value* operand : from.operands())
    if (!add(*operand, to)) return false;
  if (const auto* phi = dyn_cast<llvm::PHINode>(&from))
    for (const llvm::BasicBlock* block : phi->blocks()) to.targets.push_back(block_number(block));
  if (const auto* load = dyn_cast<llvm::LoadInst>(&from)) {
    if (load->isAtomic()) return false;
    to.bytes = layout_.getTypeStoreSize(load->getType());
  }
  if (const auto* store = dyn_cast<llvm::StoreInst>(&from)) {
    if (store->isAtomic()) return false;
    to.bytes = layout_.getTypeStoreSize(store->getValueOperand()->getType());
    add_writes(points_to_.targets_of(*store->getPointerOperand()), to.bytes, to);
  }
  return true;
}

// Terminators, slots and floating point.
bool Lowering::lower_special(const llvm::Instruction& from, CodeInstruction& to) {
  if (const auto* branch = dyn_cast<llvm::BranchInst>(&from)) {
    to.operation = branch->isConditional() ? Operation::branch : Operation::jump;
    for (unsigned i = 0; i < branch->getNumSuccessors(); i++)
      to.targets.push_back(block_number(branch->getSuccessor(i)));
    return !branch->isConditional() || add(*branch->getCondition(), to);
  }
  if (const auto* choice = dyn_cast<llvm::SwitchInst>(&from)) {
    to.operation = Operation::select_case;
    to.targets.push_back(block_number(choice->getDefaultDest()));
    for (const auto& one : choice->cases()) {
      if (one.getCaseValue()->getBitWidth() > 64) return false;
      to.cases.push_back(one.getCaseValue()->getZExtValue());
      to.targets.push_back(block_number(one.getCaseSuccessor()));
    }
    return add(*choice->getCondition(), to);
  }
  if (const auto* slot = dyn_cast<llvm::AllocaInst>(&from)) {
    to.operation = Operation::alloca_;
    to.bytes = layout_.getTypeAllocSize(slot->getAllocatedType());
    if (const auto known = objects_.find(&from); known != objects_.end())
      to.objects = known->second;
    return add(*slot->getArraySize(), to);
  }
  const bool real_operand = from.getNumOperands() > 0 &&
                            from.getOperand(0)->getType()->isFloatingPointTy() &&
                            !from.isTerminator() && !from.getType()->isVoidTy();
  const bool real_result = from.getType()->isFloatingPointTy();
  if ((!real_operand && !real_result) || isa<llvm::PHINode>(from) || isa<llvm::LoadInst>(from) ||
      isa<llvm::SelectInst>(from) || isa<llvm::FreezeInst>(from) || !width_of(*from.getType()))
    return false;
  to.operation = Operation::real;
  to.text = from.getOpcodeName();
  if (const auto* compare = dyn_cast<llvm::FCmpInst>(&from))
    to.text = llvm::CmpInst::getPredicateName(compare->getPredicate()).str();
  for (const llvm::Value* operand : from.operands())
    if (!add(*operand, to)) return false;
  return true;
}

bool Lowering::lower_comparison(const llvm::ICmpInst& from, CodeInstruction& to) {
  llvm::CmpInst::Predicate predicate = from.getPredicate();
  const bool swaps = predicate == llvm::CmpInst::ICMP_UGT || predicate == llvm::CmpInst::ICMP_UGE ||
                     predicate == llvm::CmpInst::ICMP_SGT || predicate == llvm::CmpInst::ICMP_SGE;
  if (swaps) predicate = llvm::CmpInst::getSwappedPredicate(predicate);
  switch (predicate) {
    case llvm::CmpInst::ICMP_EQ:
      to.operation = Operation::equal;
      break;
    case llvm::CmpInst::ICMP_NE:
      to.operation = Operation::not_equal;
      break;
    case llvm::CmpInst::ICMP_ULT:
      to.operation = Operation::ult;
      break;
    case llvm::CmpInst::ICMP_ULE:
      to.operation = Operation::ule;
      break;
    case llvm::CmpInst::ICMP_SLT:
      to.operation = Operation::slt;
      break;
    case llvm::CmpInst::ICMP_SLE:
      to.operation = Operation::sle;
      break;
    default:
      return false;
  }
  return add(*from.getOperand(swaps ? 1 : 0), to) && add(*from.getOperand(swaps ? 0 : 1), to);
}

bool Lowering::lower_address(const llvm::GetElementPtrInst& from, CodeInstruction& to) {
  if (!from.getType()->isPointerTy()) return false;
  llvm::MapVector<llvm::Value*, llvm::APInt> variable;
  llvm::APInt constant(64, 0);
  if (!llvm::cast<llvm::GEPOperator>(from).collectOffset(layout_, 64, variable, constant))
    return false;
  to.operation = Operation::address;
  to.offset = constant.getSExtValue();
  if (!add(*from.getPointerOperand(), to)) return false;
  for (const auto& [index, scale] : variable) {
    if (!add(*index, to)) return false;
    to.scales.push_back(scale.getSExtValue());
  }
  return true;
}

bool Lowering::lower_call(const llvm::CallInst& from, CodeInstruction& to) {
  to.operation = Operation::call;
  if (from.isInlineAsm()) return false;
  if (const auto known = callees_.find(&from); known != callees_.end()) to.callees = known->second;
  if (const auto known = objects_.find(&from); known != objects_.end()) to.objects = known->second;
  if (const auto known = writes_.find(&from); known != writes_.end())
    for (const Touch& touch : known->second)
      add_writes(points_to_.solution().targets_of(touch.pointer), AbstractBytes::kToTheEnd, to);
  if (const llvm::Function* callee = from.getCalledFunction();
      callee && callee->getName() == "getopt")
    for (const llvm::GlobalVariable& global : module_.globals())
      if (is_of_getopt(global.getName()))
        for (uint32_t object : objects_[&global]) to.writes.push_back({object, 0, 0, 8});
  if (!from.getType()->isVoidTy() && !width_of(*from.getType())) return false;
  if (!add(*from.getCalledOperand(), to)) return false;
  for (const llvm::Value* argument : from.args())
    if (!add(*argument, to)) return false;
  return true;
}

}  // namespace

Result<Code> lower(std::string_view bitcode) {
  llvm::LLVMContext context;
  const auto buffer = llvm::MemoryBuffer::getMemBufferCopy(
      llvm::StringRef(bitcode.data(), bitcode.size()), "prepared");
  llvm::SMDiagnostic problem;
  const auto module = llvm::parseIR(buffer->getMemBufferRef(), problem, context);
  if (!module) return fail("the prepared program cannot be read: {}", problem.getMessage().str());
  return Lowering(*module).run();
}

}  // namespace foretell::bitcode
