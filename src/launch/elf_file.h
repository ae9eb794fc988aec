// SPDX-License-Identifier: Apache-2.0

// ElfFile: the sections and symbols of a program.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace foretell::launch {

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

  std::string_view content_of(const Elf64_Shdr& section) const {
    if (section.sh_type == SHT_NOBITS || section.sh_offset > bytes_.size()) return "";
    return bytes_.substr(section.sh_offset, section.sh_size);
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

}  // namespace foretell::launch
