// SPDX-License-Identifier: Apache-2.0

#include "launch/uninstrumented_files.h"

#include <zstd.h>

#include <algorithm>
#include <iterator>

#include "recording/kept_bitcode.h"

namespace foretell::launch {
namespace {

using recording::KeptHeader;

// What every program has of libc and the compiler, and what has no source that we could compile.
bool is_startup(std::string_view name) {
  constexpr std::string_view kOfLibc[] = {
      "atexit.c",       "at_quick_exit.c",        "pthread_atfork.c", "elf-init.c", "init.c",
      "static-reloc.c", "stack_chk_fail_local.c", "cpuinfo.c",        "ld-temp.o"};
  return name.starts_with("crt") || name.ends_with("crt1.o") || name.starts_with("<") ||
         name.ends_with(".S") || name.ends_with(".s") || name.ends_with(".asm") ||
         std::ranges::find(kOfLibc, name) != std::end(kOfLibc);
}

std::string_view without_folder(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// Adds up the symbols of a table, in which those of one object follow its source file.
class SourceFiles {
 public:
  void add(std::string_view name, const Elf64_Sym& symbol) {
    if (ELF64_ST_TYPE(symbol.st_info) == STT_FILE) {
      end();
      file_ = is_startup(name) ? "" : name;
      is_instrumented_ = false;
    } else if (ELF64_ST_BIND(symbol.st_info) != STB_LOCAL) {
      end();
    } else {
      is_instrumented_ |= name == "__foretell_constructor" || name == "tsan.module_ctor";
    }
  }

  std::vector<std::string> without_constructor() {
    end();
    return std::move(found_);
  }

 private:
  void end() {
    if (!file_.empty() && !is_instrumented_) found_.emplace_back(file_);
    file_ = "";
  }

  std::vector<std::string> found_;
  std::string_view file_;
  bool is_instrumented_ = false;
};

// Of a module without sites the strings come first.
std::string name_of(const KeptHeader& header, std::string_view stored) {
  constexpr uint64_t kMostBytes = 64 << 20;
  std::string whole(stored);
  if (header.compression == recording::KeptCompression::zstd) {
    if (header.size > kMostBytes) return "";
    whole.resize(header.size);
    const size_t done = ZSTD_decompress(whole.data(), whole.size(), stored.data(), stored.size());
    if (ZSTD_isError(done)) return "";
  }
  if (header.name >= whole.size()) return "";
  const char* name = whole.data() + header.name;
  return std::string(name, ::strnlen(name, whole.size() - header.name));
}

// The names of the modules that have kept their bitcode and have no sites.
std::vector<std::string> modules_without_sites(std::string_view section) {
  std::vector<std::string> names;
  KeptHeader header{};
  while (section.size() >= sizeof header) {
    std::memcpy(&header, section.data(), sizeof header);
    section.remove_prefix(sizeof header);
    if (std::memcmp(header.magic, recording::kKeptMagic, sizeof header.magic) != 0 ||
        header.stored_size > section.size())
      break;
    if (header.site_count == 0)
      names.push_back(name_of(header, section.substr(0, header.stored_size)));
    section.remove_prefix(header.stored_size);
  }
  return names;
}

}  // namespace

std::vector<std::string> uninstrumented_files(const ElfFile& program) {
  SourceFiles files;
  std::string_view kept;
  program.for_each_section([&](std::string_view name, const Elf64_Shdr& row) {
    if (name == recording::kKeptSection) kept = program.content_of(row);
    Elf64_Shdr strings{};
    if (row.sh_type != SHT_SYMTAB || !program.section(row.sh_link, strings)) return;
    program.for_each_row<Elf64_Sym>(row, [&](const Elf64_Sym& symbol) {
      files.add(program.text_at(strings, symbol.st_name), symbol);
    });
  });
  std::vector<std::string> found = files.without_constructor();
  // A program that keeps no bitcode does not tell what nothing was to be recorded of.
  if (found.empty() || kept.empty()) return {};
  for (const std::string& name : modules_without_sites(kept)) {
    const auto it = std::ranges::find(found, without_folder(name));
    if (it != found.end()) found.erase(it);
  }
  return found;
}

}  // namespace foretell::launch
