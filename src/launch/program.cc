// SPDX-License-Identifier: Apache-2.0

#include "launch/program.h"

#include <elf.h>
#include <xxhash.h>

#include <string_view>

#include "base/input_file.h"
#include "base/printable.h"
#include "launch/elf_file.h"
#include "launch/uninstrumented_files.h"

namespace foretell::launch {
namespace {

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
  if (facts.built_by_pass) facts.uninstrumented = uninstrumented_files(elf);
  return facts;
}

std::string list_of_files(const std::vector<std::string>& files) {
  constexpr size_t kShown = 3;
  std::string list;
  for (size_t i = 0; i < files.size() && i < kShown; ++i) {
    if (i > 0) list += ", ";
    list += printable(files[i]);
  }
  if (files.size() > kShown) list += fmt::format(" and {} more", files.size() - kShown);
  return list;
}

}  // namespace foretell::launch
