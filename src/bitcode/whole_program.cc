// SPDX-License-Identifier: Apache-2.0

#include "bitcode/whole_program.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>

namespace foretell::bitcode {
namespace {

using recording::SiteRole;

// Errors of LLVM become text; its warnings are for whoever compiled the program.
class Messages : public llvm::DiagnosticHandler {
 public:
  explicit Messages(std::string& errors) : errors_(errors) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() != llvm::DS_Error) return true;
    llvm::raw_string_ostream out(errors_);
    llvm::DiagnosticPrinterRawOStream printer(out);
    info.print(printer);
    return true;
  }

 private:
  std::string& errors_;
};

std::vector<uint32_t> numbers_of(const llvm::MDNode* node) {
  std::vector<uint32_t> numbers;
  if (!node) return numbers;
  for (const llvm::MDOperand& operand : node->operands()) {
    const auto* number = llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(operand);
    if (!number) return {};
    numbers.push_back(static_cast<uint32_t>(number->getZExtValue()));
  }
  return numbers;
}

llvm::MDNode* node_of(llvm::LLVMContext& context, std::span<const uint32_t> numbers) {
  std::vector<llvm::Metadata*> operands;
  for (uint32_t number : numbers)
    operands.push_back(llvm::ConstantAsMetadata::get(
        llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), number)));
  return llvm::MDNode::get(context, operands);
}

// Numbers of a module become numbers of the program. False if one is out of range.
bool renumber(llvm::Module& module, const program::Module& row, uint32_t module_index) {
  bool good = true;
  const auto renumber_sites = [&](auto& carrier) {
    std::vector<uint32_t> numbers = numbers_of(carrier.getMetadata(recording::kSiteMetadata));
    if (numbers.empty()) return;
    for (size_t i = 0; i + 1 < numbers.size(); i += 2) {
      good &= numbers[i] < recording::kSiteRoleCount && numbers[i + 1] < row.site_count;
      numbers[i + 1] += static_cast<uint32_t>(row.first_site);
    }
    carrier.setMetadata(recording::kSiteMetadata, node_of(module.getContext(), numbers));
  };
  for (llvm::Function& function : module) {
    renumber_sites(function);
    for (llvm::Instruction& instruction : llvm::instructions(function)) renumber_sites(instruction);
  }
  for (llvm::GlobalVariable& global : module.globals()) {
    std::vector<uint32_t> numbers = numbers_of(global.getMetadata(recording::kGlobalMetadata));
    if (numbers.size() != 1) continue;
    global.setMetadata(recording::kGlobalMetadata,
                       node_of(module.getContext(), std::vector{module_index, numbers[0]}));
  }
  return good;
}

void add_sites(const KeptModule& kept, std::vector<program::Site>& sites) {
  for (const recording::SiteRow& row : kept.rows) {
    const auto kind = row.flags & recording::kSiteCall       ? program::SiteKind::call
                      : row.flags & recording::kSiteFunction ? program::SiteKind::function
                                                             : program::SiteKind::step;
    sites.push_back({.position = {std::string(kept.text(row.file)), row.line, row.column},
                     .function = std::string(kept.text(row.function)),
                     .expression = std::string(kept.text(row.expression)),
                     .kind = kind,
                     .in_library = (row.flags & recording::kSiteLibrary) != 0});
  }
}

Result<std::unique_ptr<llvm::Module>> load(const KeptModule& kept, llvm::LLVMContext& context,
                                           const std::string& where) {
  const llvm::MemoryBufferRef buffer(kept.bitcode, kept.source());
  auto module = llvm::parseBitcodeFile(buffer, context);
  if (!module)
    return fail_at(where, "the bitcode of {} cannot be read: {}", kept.source(),
                   llvm::toString(module.takeError()));
  return std::move(*module);
}

}  // namespace

Result<WholeProgram> link_modules(std::span<const KeptModule> kept, const std::string& where) {
  WholeProgram whole;
  whole.context = std::make_unique<llvm::LLVMContext>();
  std::string errors;
  whole.context->setDiagnosticHandler(std::make_unique<Messages>(errors));
  whole.module = std::make_unique<llvm::Module>(where, *whole.context);
  llvm::Linker linker(*whole.module);
  for (const KeptModule& one : kept) {
    FORETELL_TRY(module, load(one, *whole.context, where));
    const program::Module row{.source = std::string(one.source()),
                              .identity = one.identity,
                              .first_site = static_cast<program::SiteIndex>(whole.sites.size()),
                              .site_count = static_cast<uint32_t>(one.rows.size())};
    if (!renumber(*module, row, static_cast<uint32_t>(whole.modules.size())))
      return fail_at(where, "the bitcode of {} names sites it does not have", one.source());
    whole.modules.push_back(row);
    add_sites(one, whole.sites);
    for (const llvm::GlobalValue& symbol : module->global_values())
      if (!symbol.isDeclaration()) whole.symbols.push_back(symbol.getName().str());
    if (linker.linkInModule(std::move(module)))
      return fail_at(where, "the bitcode of {} cannot be linked: {}", one.source(), errors);
  }
  std::ranges::sort(whole.symbols);
  if (llvm::verifyModule(*whole.module))
    return fail_at(where, "the linked bitcode is not well-formed");
  return whole;
}

std::vector<InstructionSite> sites_of(const llvm::Instruction& instruction) {
  const std::vector<uint32_t> numbers =
      numbers_of(instruction.getMetadata(recording::kSiteMetadata));
  std::vector<InstructionSite> sites;
  for (size_t i = 0; i + 1 < numbers.size(); i += 2)
    sites.push_back(
        {static_cast<SiteRole>(numbers[i]), static_cast<program::SiteIndex>(numbers[i + 1])});
  return sites;
}

std::optional<program::SiteIndex> site_of(const llvm::Instruction& instruction, SiteRole role) {
  for (const InstructionSite& one : sites_of(instruction))
    if (one.role == role) return one.site;
  return {};
}

std::optional<program::SiteIndex> site_of(const llvm::Function& function) {
  const std::vector<uint32_t> numbers = numbers_of(function.getMetadata(recording::kSiteMetadata));
  if (numbers.size() != 2) return {};
  return static_cast<program::SiteIndex>(numbers[1]);
}

std::optional<program::GlobalRow> row_of(const llvm::GlobalVariable& global) {
  const std::vector<uint32_t> numbers = numbers_of(global.getMetadata(recording::kGlobalMetadata));
  if (numbers.size() != 2) return {};
  return program::GlobalRow{static_cast<program::ModuleIndex>(numbers[0]), numbers[1]};
}

}  // namespace foretell::bitcode
