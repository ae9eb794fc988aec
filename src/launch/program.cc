// SPDX-License-Identifier: Apache-2.0

#include "launch/program.h"

#include <elf.h>
#include <xxhash.h>

#include <cstring>
#include <span>
#include <string_view>

#include "base/input_file.h"

namespace foretell::launch {
namespace {

// A 64-bit little-endian ELF file. Whatever lies outside the file reads as empty.
class ElfFile {
 public:
  explicit ElfFile(std::string_view bytes) : bytes_(bytes) {
    if (!read(0, header_) || std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0 ||
        header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_ident[EI_DATA] != ELFDATA2LSB) {
      return;
    }
    valid_ = true;
  }

  bool valid() const { return valid_; }
  const Elf64_Ehdr& header() const { return header_; }

  void for_each_section(auto handle) const {
    Elf64_Shdr names{};
    if (!section(header_.e_shstrndx, names)) return;
    for (uint16_t i = 0; i < header_.e_shnum; ++i) {
      Elf64_Shdr row{};
      if (!section(i, row)) return;
      handle(text_at(names, row.sh_name), row);
    }
  }

  bool has_segment(uint32_t type) const {
    for (uint16_t i = 0; i < header_.e_phnum; ++i) {
      Elf64_Phdr row{};
      if (read(header_.e_phoff + uint64_t{i} * sizeof row, row) && row.p_type == type) return true;
    }
    return false;
  }

  template <class Row>
  void for_each_row(const Elf64_Shdr& table, auto handle) const {
    for (uint64_t at = 0; at + sizeof(Row) <= table.sh_size; at += sizeof(Row)) {
      Row row{};
      if (!read(table.sh_offset + at, row)) return;
      handle(row);
    }
  }

  bool section(uint32_t number, Elf64_Shdr& row) const {
    return number < header_.e_shnum && read(header_.e_shoff + uint64_t{number} * sizeof row, row);
  }

  std::string_view text_at(const Elf64_Shdr& strings, uint64_t offset) const {
    if (offset >= strings.sh_size || strings.sh_offset > bytes_.size()) return "";
    std::string_view rest = bytes_.substr(strings.sh_offset);
    if (offset >= rest.size()) return "";
    rest.remove_prefix(offset);
    return rest.substr(0, rest.find('\0'));
  }

 private:
  template <class Row>
  bool read(uint64_t offset, Row& row) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof row) return false;
    std::memcpy(&row, bytes_.data() + offset, sizeof row);
    return true;
  }

  std::string_view bytes_;
  Elf64_Ehdr header_{};
  bool valid_ = false;
};

void note_symbol(std::string_view name, ProgramFacts& facts) {
  facts.built_by_pass |= name == "__foretell_register" || name == "__foretell_check";
  facts.built_for_tsan |= name == "__tsan_init" || name == "__tsan_func_entry";
}

void note_library(std::string_view name, ProgramFacts& facts) {
  facts.links_runtime |= name.starts_with("libforetell_rt.so");
  facts.links_libtsan |= name.starts_with("libtsan.so");
  facts.links_libgomp |= name.starts_with("libgomp.so");
}

}  // namespace

Result<BuildId> build_id_of(const std::string& path) {
  FORETELL_TRY(file, InputFile::open(path));
  const std::string_view bytes = file.bytes();
  return BuildId{bytes.size(), fmt::format("{:016x}", XXH3_64bits(bytes.data(), bytes.size()))};
}

Result<ProgramFacts> inspect_program(const std::string& path) {
  FORETELL_TRY(file, InputFile::open(path));
  const ElfFile elf(file.bytes());
  ProgramFacts facts;
  if (!elf.valid()) return facts;
  facts.elf = true;
  facts.shared_object = elf.header().e_type == ET_DYN;
  facts.is_static = !elf.has_segment(PT_DYNAMIC);
  elf.for_each_section([&](std::string_view name, const Elf64_Shdr& row) {
    facts.has_line_tables |= name == ".debug_line" || name == ".zdebug_line";
    Elf64_Shdr strings{};
    if (!elf.section(row.sh_link, strings)) return;
    if (row.sh_type == SHT_DYNAMIC) {
      elf.for_each_row<Elf64_Dyn>(row, [&](const Elf64_Dyn& entry) {
        if (entry.d_tag == DT_NEEDED) note_library(elf.text_at(strings, entry.d_un.d_val), facts);
      });
    }
    if (row.sh_type == SHT_DYNSYM || row.sh_type == SHT_SYMTAB) {
      elf.for_each_row<Elf64_Sym>(row, [&](const Elf64_Sym& symbol) {
        note_symbol(elf.text_at(strings, symbol.st_name), facts);
        // clang links ThreadSanitizer statically; then its runtime is defined here.
        facts.links_libtsan |= symbol.st_shndx != SHN_UNDEF &&
                               elf.text_at(strings, symbol.st_name) == "__tsan_func_entry";
      });
    }
  });
  return facts;
}

}  // namespace foretell::launch
