// SPDX-License-Identifier: Apache-2.0

#include "bitcode/binary.h"

#include <llvm/Object/ELF.h>

#include "recording/kept_bitcode.h"

namespace foretell::bitcode {
namespace {

using ElfFile = llvm::object::ELF64LEFile;

llvm::Error add_defined(const ElfFile& file, const ElfFile::Elf_Shdr& table,
                        std::vector<std::string>& names) {
  auto symbols = file.symbols(&table);
  if (!symbols) return symbols.takeError();
  auto strings = file.getStringTableForSymtab(table);
  if (!strings) return strings.takeError();
  for (const ElfFile::Elf_Sym& symbol : *symbols) {
    if (symbol.isUndefined() || symbol.getType() == llvm::ELF::STT_FILE ||
        symbol.getType() == llvm::ELF::STT_SECTION)
      continue;
    auto name = symbol.getName(*strings);
    if (!name) return name.takeError();
    // "stdout@GLIBC_2.2.5": a copy of a library's variable.
    if (!name->empty()) names.push_back(name->split('@').first.str());
  }
  return llvm::Error::success();
}

llvm::Error read_into(Binary& binary, const ElfFile& file) {
  binary.is_relocatable = file.getHeader().e_type == llvm::ELF::ET_REL;
  auto sections = file.sections();
  if (!sections) return sections.takeError();
  for (const ElfFile::Elf_Shdr& section : *sections) {
    if (section.sh_type == llvm::ELF::SHT_SYMTAB) {
      binary.has_symbol_table = true;
      if (auto error = add_defined(file, section, binary.defined)) return error;
    } else if (section.sh_type == llvm::ELF::SHT_DYNSYM) {
      if (auto error = add_defined(file, section, binary.exported)) return error;
    }
    auto name = file.getSectionName(section);
    if (!name) return name.takeError();
    if (*name != recording::kKeptSection) continue;
    auto contents = file.getSectionContents(section);
    if (!contents) return contents.takeError();
    binary.kept = {reinterpret_cast<const char*>(contents->data()), contents->size()};
  }
  return llvm::Error::success();
}

}  // namespace

Result<Binary> read_binary(std::string_view bytes, const std::string& where) {
  constexpr std::string_view kElf64LittleEndian =
      "\x7f"
      "ELF\2\1";
  if (!bytes.starts_with(kElf64LittleEndian))
    return fail_at(where, "this is no ELF file of a 64-bit little-endian machine");
  auto file = ElfFile::create(llvm::StringRef(bytes.data(), bytes.size()));
  if (!file) return fail_at(where, "{}", llvm::toString(file.takeError()));
  Binary binary;
  if (auto error = read_into(binary, *file))
    return fail_at(where, "{}", llvm::toString(std::move(error)));
  return binary;
}

}  // namespace foretell::bitcode
