// SPDX-License-Identifier: Apache-2.0

#include "site_table.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "expression.h"
#include "recording/module.h"

namespace foretell::pass {

SiteTable::SiteTable(llvm::Module& module) : module_(module), strings_(1, '\0') {}

llvm::GlobalVariable* SiteTable::site_bits() const {
  if (!site_bits_) site_bits_ = new_site_bits(0);
  return site_bits_;
}

std::vector<uint32_t> SiteTable::flat_rows() const {
  std::vector<uint32_t> flat;
  for (const Row& row : rows_) flat.insert(flat.end(), row.begin(), row.end());
  return flat;
}

std::vector<llvm::GlobalVariable*> SiteTable::globals() const {
  std::vector<llvm::GlobalVariable*> variables;
  for (const GlobalEntry& entry : globals_) variables.push_back(entry.variable);
  return variables;
}

llvm::GlobalVariable* SiteTable::new_site_bits(uint64_t count) const {
  auto* type = llvm::ArrayType::get(llvm::Type::getInt64Ty(module_.getContext()), count);
  return new llvm::GlobalVariable(module_, type, /*isConstant=*/false,
                                  llvm::GlobalValue::InternalLinkage,
                                  llvm::ConstantAggregateZero::get(type), "__foretell_site_bits");
}

uint32_t SiteTable::string(llvm::StringRef text) {
  if (text.empty()) return 0;
  auto [at, is_new] = offsets_.try_emplace(text, static_cast<uint32_t>(strings_.size()));
  if (is_new) {
    strings_ += text;
    strings_ += '\0';
  }
  return at->second;
}

uint32_t SiteTable::add(const Position& position, llvm::StringRef expression, uint32_t flags,
                        recording::Op op) {
  if (position.library) flags |= recording::kSiteLibrary;
  const Row row = {string(position.file),     position.line,      position.column,
                   string(position.function), string(expression), recording::site_flags(flags, op)};
  auto [at, is_new] = numbers_.try_emplace(row, static_cast<uint32_t>(rows_.size()));
  if (is_new) rows_.push_back(row);
  return at->second;
}

void SiteTable::add_global(llvm::GlobalVariable& global) {
  if (global.isDeclaration() || global.isConstant() || global.isThreadLocal() ||
      global.hasAvailableExternallyLinkage() || global.hasAppendingLinkage() ||
      global.getAddressSpace() != 0 || !global.hasName())
    return;
  const llvm::StringRef symbol = global.getName();
  if (symbol.starts_with("llvm.") || symbol.starts_with("__llvm") ||
      symbol.starts_with("__foretell_") || symbol.starts_with("__prof"))
    return;
  // A local symbol of a group that the linker may drop in favor of another copy.
  if (global.hasComdat() && global.hasLocalLinkage()) return;
  const uint64_t size = module_.getDataLayout().getTypeAllocSize(global.getValueType());
  if (size == 0) return;
  const Expressions::Global described = Expressions::describe(global);
  const bool whole = described.offset == 0 && size_of(described.type) <= size;
  const std::string fields = whole ? flatten_fields(described.type) : "";
  globals_.push_back({&global, size, string(described.name), string(fields)});
}

llvm::Value* SiteTable::bits(llvm::IRBuilderBase& builder, uint32_t site) const {
  auto* wide = builder.getInt64Ty();
  llvm::LoadInst* bits =
      builder.CreateLoad(wide, builder.CreateConstInBoundsGEP1_64(wide, site_bits(), site));
  // Set once, before any code of the module runs.
  bits->setMetadata(llvm::LLVMContext::MD_invariant_load,
                    llvm::MDNode::get(builder.getContext(), {}));
  return bits;
}

llvm::Value* SiteTable::number(llvm::IRBuilderBase& builder, uint32_t site) const {
  return builder.CreateTrunc(builder.CreateLShr(bits(builder, site), recording::kSiteShift),
                             builder.getInt32Ty());
}

llvm::GlobalVariable* SiteTable::constant(llvm::Constant* value, const llvm::Twine& name) const {
  return new llvm::GlobalVariable(module_, value->getType(), /*isConstant=*/true,
                                  llvm::GlobalValue::InternalLinkage, value, name);
}

// Which of several definitions of a weak or common variable is linked is not known.
uint64_t SiteTable::size_and_start(const GlobalEntry& entry) {
  const bool zeroed = entry.variable->hasDefinitiveInitializer() &&
                      entry.variable->getInitializer()->isNullValue() &&
                      !entry.variable->isExternallyInitialized();
  return entry.size | (zeroed ? recording::kGlobalZeroed : 0);
}

void SiteTable::emit(uint32_t skipped, uint32_t repeated) {
  if (rows_.empty() && globals_.empty() && skipped == 0) return;
  llvm::GlobalVariable* without_length = site_bits();
  llvm::GlobalVariable* site_bits = new_site_bits(std::max<uint64_t>(rows_.size(), 1));
  site_bits->takeName(without_length);
  without_length->replaceAllUsesWith(site_bits);
  without_length->eraseFromParent();
  llvm::LLVMContext& context = module_.getContext();
  auto* word = llvm::Type::getInt32Ty(context);
  auto* wide = llvm::Type::getInt64Ty(context);
  auto* pointer = llvm::PointerType::getUnqual(context);
  const auto words = [&](auto value) {
    return llvm::ConstantInt::get(word, static_cast<uint32_t>(value));
  };
  const auto wides = [&](uint64_t value) { return llvm::ConstantInt::get(wide, value); };
  const uint32_t name = module_name();

  const std::vector<uint32_t> flat = flat_rows();
  auto* sites = constant(llvm::ConstantDataArray::get(context, flat), "__foretell_sites");

  auto* global_type = llvm::StructType::get(pointer, wide, word, word);
  std::vector<llvm::Constant*> entries;
  for (const GlobalEntry& entry : globals_)
    entries.push_back(llvm::ConstantStruct::get(global_type, entry.variable,
                                                wides(size_and_start(entry)), words(entry.name),
                                                words(entry.fields)));
  auto* globals =
      constant(llvm::ConstantArray::get(llvm::ArrayType::get(global_type, entries.size()), entries),
               "__foretell_globals");
  auto* strings =
      constant(llvm::ConstantDataArray::getString(context, strings_, false), "__foretell_strings");

  static_assert(sizeof(recording::Module) == 72 && offsetof(recording::Module, site_bits) == 48);
  llvm::Constant* descriptor = llvm::ConstantStruct::getAnon(
      {words(recording::kAbi), words(rows_.size()), sites, globals, strings, wides(strings_.size()),
       wides(globals_.size()), site_bits, words(name), words(skipped), words(repeated), words(0)});
  auto* module_global = constant(descriptor, "__foretell_module");

  const llvm::FunctionCallee hook = module_.getOrInsertFunction(
      "__foretell_register",
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), pointer, false));
  auto* constructor = llvm::Function::createWithDefaultAttr(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
      llvm::GlobalValue::InternalLinkage, 0, "__foretell_constructor", &module_);
  constructor->setDoesNotThrow();
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", constructor));
  builder.CreateCall(hook, module_global);
  builder.CreateRetVoid();
  llvm::appendToGlobalCtors(module_, constructor, 0);
}

}  // namespace foretell::pass
