// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/determinism/variables.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/GlobalVariable.h>

namespace foretell::static_analysis {
namespace {

using llvm::dyn_cast;

const llvm::DIType* without_qualifiers(const llvm::DIType* type) {
  while (const auto* derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type)) {
    if (derived->getTag() == llvm::dwarf::DW_TAG_pointer_type ||
        derived->getTag() == llvm::dwarf::DW_TAG_reference_type)
      return type;
    type = derived->getBaseType();
  }
  return type;
}

// The members at `offset` bytes, as a suffix.
std::string members_at(const llvm::DIType* type, uint64_t offset) {
  std::string text;
  for (;;) {
    const auto* composite = llvm::dyn_cast_or_null<llvm::DICompositeType>(without_qualifiers(type));
    if (!composite) return text;
    if (composite->getTag() == llvm::dwarf::DW_TAG_array_type) {
      type = composite->getBaseType();
      const llvm::DIType* element = without_qualifiers(type);
      const uint64_t size = element ? element->getSizeInBits() / 8 : 0;
      if (size == 0 || composite->getElements().size() != 1) return text + "[..]";
      text += "[..]";
      offset %= size;
      continue;
    }
    if (composite->getTag() == llvm::dwarf::DW_TAG_union_type) return text;
    const llvm::DIDerivedType* found = nullptr;
    for (const llvm::Metadata* element : composite->getElements()) {
      const auto* member = dyn_cast<llvm::DIDerivedType>(element);
      if (!member || member->getTag() != llvm::dwarf::DW_TAG_member || member->isStaticMember())
        continue;
      const uint64_t first = member->getOffsetInBits() / 8;
      if (offset >= first && offset < first + std::max<uint64_t>(1, member->getSizeInBits() / 8))
        found = member;
    }
    if (!found) return text;
    text += "." + found->getName().str();
    offset -= found->getOffsetInBits() / 8;
    type = found->getBaseType();
  }
}

}  // namespace

std::string variable_name(const bitcode::Target& target, const bitcode::PointsTo& points_to,
                          const Objects& objects) {
  const auto* global = llvm::dyn_cast_or_null<llvm::GlobalVariable>(points_to[target.object].value);
  if (global && target.stride != 1) {
    llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> described;
    global->getDebugInfo(described);
    if (!described.empty()) {
      const std::string members =
          members_at(described.front()->getVariable()->getType(), target.offset);
      if (!members.empty()) return described.front()->getVariable()->getName().str() + members;
    }
  }
  return objects.name_of(target);
}

bool is_part_of(std::string_view name, std::string_view variable) {
  if (!name.starts_with(variable)) return false;
  if (name.size() == variable.size()) return true;
  const char next = name[variable.size()];
  return next == '.' || next == '[' || next == '+';
}

}  // namespace foretell::static_analysis
