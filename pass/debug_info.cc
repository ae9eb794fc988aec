// SPDX-License-Identifier: Apache-2.0

#include "debug_info.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Path.h>

#include <cstdlib>

namespace foretell::pass {

using llvm::dyn_cast;
using llvm::dyn_cast_or_null;
using llvm::StringRef;

namespace {

std::string path_of(const llvm::DIFile* file) {
  if (!file) return "";
  llvm::SmallString<256> path;
  if (!llvm::sys::path::is_absolute(file->getFilename())) path = file->getDirectory();
  llvm::sys::path::append(path, file->getFilename());
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return path.str().str();
}

// "ns::Class::" of what is declared in `scope`.
std::string prefix_of(const llvm::DIScope* scope) {
  if (!scope) return "";
  if (const auto* space = dyn_cast<llvm::DINamespace>(scope))
    return prefix_of(space->getScope()) +
           (space->getName().empty() ? "" : space->getName().str() + "::");
  if (const auto* type = dyn_cast<llvm::DICompositeType>(scope))
    return prefix_of(type->getScope()) +
           (type->getName().empty() ? "" : type->getName().str() + "::");
  if (const auto* subprogram = dyn_cast<llvm::DISubprogram>(scope))
    return function_name(*subprogram) + "::";
  if (const auto* block = dyn_cast<llvm::DILexicalBlockBase>(scope))
    return prefix_of(block->getScope());
  return "";
}

void fill(Position& position, const llvm::DILocation& location) {
  position.line = location.getLine();
  position.column = location.getColumn();
  position.file = path_of(location.getFile());
  position.scope = location.getScope()->getSubprogram();
  position.inlined_at = location.getInlinedAt();
  if (position.scope) position.function = function_name(*position.scope);
}

// Optimized code has places with line 0, which belong to several lines or none. The nearest place
// before it in the block is what a debugger would show.
const llvm::DILocation* location_near(const llvm::Instruction& instruction) {
  const llvm::DILocation* own = instruction.getDebugLoc();
  if (own && own->getLine() != 0) return own;
  const auto usable = [](const llvm::Instruction* at) -> const llvm::DILocation* {
    const llvm::DILocation* location = at->getDebugLoc();
    return location && location->getLine() != 0 ? location : nullptr;
  };
  for (const auto* at = instruction.getPrevNode(); at; at = at->getPrevNode())
    if (const auto* location = usable(at)) return location;
  for (const auto* at = instruction.getNextNode(); at; at = at->getNextNode())
    if (const auto* location = usable(at)) return location;
  return own;
}

void flatten(const llvm::DIType* type, uint64_t offset, const std::string& prefix, unsigned depth,
             unsigned& left, std::string& out) {
  const auto* composite = dyn_cast_or_null<llvm::DICompositeType>(strip(type));
  if (!composite || depth > 8 || composite->getTag() == llvm::dwarf::DW_TAG_array_type) return;
  for (const llvm::DINode* node : composite->getElements()) {
    const auto* member = dyn_cast<llvm::DIDerivedType>(node);
    if (!member || left == 0) continue;
    const bool base = member->getTag() == llvm::dwarf::DW_TAG_inheritance;
    if (!base && (member->getTag() != llvm::dwarf::DW_TAG_member || member->isStaticMember()))
      continue;
    if (member->isVirtual() || member->isBitField()) continue;
    const uint64_t at = offset + member->getOffsetInBits() / 8;
    const std::string name = member->getName().str();
    const bool hidden = base || name.empty() || is_reserved(name);
    const std::string full = hidden ? prefix : (prefix.empty() ? name : prefix + "." + name);
    const auto* inner = dyn_cast_or_null<llvm::DICompositeType>(strip(member->getBaseType()));
    if (inner && inner->getTag() != llvm::dwarf::DW_TAG_array_type &&
        inner->getTag() != llvm::dwarf::DW_TAG_enumeration_type &&
        inner->getElements().size() > 0) {
      const size_t before = out.size();
      flatten(inner, at, full, depth + 1, left, out);
      // A mutex has no members that a person would name.
      if (out.size() != before) continue;
    }
    if (!hidden) {
      out += (out.empty() ? "" : ";") + std::to_string(at) + "=" + full;
      left--;
    }
  }
}

}  // namespace

bool is_system_path(StringRef path) {
  return path.starts_with("/usr/include/") || path.starts_with("/usr/lib/") ||
         path.starts_with("/usr/lib64/") || path.starts_with("/usr/local/include/") ||
         path.contains("/include/c++/") || path.contains("/lib/clang/");
}

bool is_reserved(StringRef name) {
  return name.starts_with("_vptr$") ||
         (name.size() > 1 && name[0] == '_' && (name[1] == '_' || llvm::isUpper(name[1])));
}

Position position_of(const llvm::Instruction& instruction) {
  const llvm::Function& function = *instruction.getFunction();
  const llvm::DILocation* location = location_near(instruction);
  if (!location) return position_of(function);
  Position position;
  for (const llvm::DILocation* at = location; at; at = at->getInlinedAt()) {
    Position frame;
    fill(frame, *at);
    if (!is_system_path(frame.file)) return frame;
    if (at == location) position = frame;
  }
  position.library = true;
  return position;
}

Position position_of(const llvm::Function& function) {
  Position position;
  position.function = function_name(function);
  if (const llvm::DISubprogram* subprogram = function.getSubprogram()) {
    position.file = path_of(subprogram->getFile());
    position.line = subprogram->getLine();
    position.scope = subprogram;
  } else {
    position.file = function.getParent()->getSourceFileName();
  }
  position.library = is_system_path(position.file);
  return position;
}

namespace {

// A region of OpenMP is a function of its own: main.omp_outlined_debug__, .omp_task_entry..8.
std::string written_name(llvm::StringRef name) {
  if (name.starts_with(".omp_task_entry.")) return "omp task";
  if (name.starts_with(".omp_outlined.")) return "omp region";
  return name.substr(0, name.find(".omp_outlined")).str();
}

}  // namespace

std::string function_name(const llvm::DISubprogram& subprogram) {
  const auto* owner = dyn_cast_or_null<llvm::DICompositeType>(subprogram.getScope());
  if (owner && owner->getName().empty() && subprogram.getName() == "operator()")
    return prefix_of(owner->getScope()) + "lambda";
  return prefix_of(subprogram.getScope()) + written_name(subprogram.getName());
}

std::string function_name(const llvm::Function& function) {
  if (const llvm::DISubprogram* subprogram = function.getSubprogram())
    return function_name(*subprogram);
  return symbol_name(function.getName());
}

std::string variable_name(const llvm::DIGlobalVariable& variable) {
  // A static member is declared in its class and defined outside.
  if (const llvm::DIDerivedType* member = variable.getStaticDataMemberDeclaration())
    return prefix_of(member->getScope()) + variable.getName().str();
  return prefix_of(variable.getScope()) + variable.getName().str();
}

std::string symbol_name(StringRef symbol) {
  if (!symbol.starts_with("_Z")) return symbol.str();
  llvm::ItaniumPartialDemangler demangler;
  const std::string mangled = symbol.str();
  if (demangler.partialDemangle(mangled.c_str())) return mangled;
  const auto take = [](char* text) {
    std::string copy = text ? text : "";
    std::free(text);
    return copy;
  };
  if (!demangler.isFunction()) return take(demangler.finishDemangle(nullptr, nullptr));
  const std::string context = take(demangler.getFunctionDeclContextName(nullptr, nullptr));
  const std::string name = take(demangler.getFunctionBaseName(nullptr, nullptr));
  return context.empty() ? name : context + "::" + name;
}

const llvm::DIType* strip(const llvm::DIType* type) {
  while (const auto* derived = dyn_cast_or_null<llvm::DIDerivedType>(type)) {
    switch (derived->getTag()) {
      case llvm::dwarf::DW_TAG_typedef:
      case llvm::dwarf::DW_TAG_const_type:
      case llvm::dwarf::DW_TAG_volatile_type:
      case llvm::dwarf::DW_TAG_restrict_type:
      case llvm::dwarf::DW_TAG_atomic_type:
      case llvm::dwarf::DW_TAG_template_alias:
        type = derived->getBaseType();
        break;
      default:
        return type;
    }
  }
  return type;
}

uint64_t size_of(const llvm::DIType* type) {
  type = strip(type);
  return type ? type->getSizeInBits() / 8 : 0;
}

bool is_reference(const llvm::DIType* type) {
  const auto* derived = dyn_cast_or_null<llvm::DIDerivedType>(strip(type));
  return derived && (derived->getTag() == llvm::dwarf::DW_TAG_reference_type ||
                     derived->getTag() == llvm::dwarf::DW_TAG_rvalue_reference_type);
}

bool is_pointer(const llvm::DIType* type) {
  const auto* derived = dyn_cast_or_null<llvm::DIDerivedType>(strip(type));
  return derived && derived->getTag() == llvm::dwarf::DW_TAG_pointer_type;
}

const llvm::DIType* pointee(const llvm::DIType* type) {
  if (!is_pointer(type) && !is_reference(type)) return nullptr;
  return llvm::cast<llvm::DIDerivedType>(strip(type))->getBaseType();
}

const llvm::DIDerivedType* member_at(const llvm::DIType* type, uint64_t offset, uint64_t size) {
  const auto* composite = dyn_cast_or_null<llvm::DICompositeType>(strip(type));
  if (!composite || composite->getTag() == llvm::dwarf::DW_TAG_array_type) return nullptr;
  const bool is_union = composite->getTag() == llvm::dwarf::DW_TAG_union_type;
  const llvm::DIDerivedType* found = nullptr;
  for (const llvm::DINode* node : composite->getElements()) {
    const auto* member = dyn_cast<llvm::DIDerivedType>(node);
    if (!member || member->isStaticMember() || member->isVirtual()) continue;
    if (member->getTag() != llvm::dwarf::DW_TAG_member &&
        member->getTag() != llvm::dwarf::DW_TAG_inheritance)
      continue;
    if (member->isBitField()) {
      // Bit-fields are accessed by their storage unit, which can hold several of them.
      const uint64_t bit = member->getOffsetInBits();
      if (bit / 8 < offset || bit / 8 >= offset + size) continue;
      if (found) return nullptr;
      found = member;
      continue;
    }
    const uint64_t start = member->getOffsetInBits() / 8;
    const uint64_t length = size_of(member->getBaseType());
    if (offset < start || offset + size > start + length) continue;
    if (!is_union) return member;
    if (!found || (size_of(found->getBaseType()) != size && length == size)) found = member;
  }
  return found;
}

std::string flatten_fields(const llvm::DIType* type) {
  std::string out;
  unsigned left = 64;
  flatten(type, 0, "", 0, left, out);
  return out;
}

}  // namespace foretell::pass
