// SPDX-License-Identifier: Apache-2.0

#include "bitcode/surroundings.h"

#include <algorithm>
#include <string_view>

namespace foretell::bitcode {
namespace {

using program::Unknown;
using program::UnknownKind;

// What the C start-up files and the linker define in every program.
constexpr std::string_view kStartUp[] = {
    "_DYNAMIC",
    "_GLOBAL_OFFSET_TABLE_",
    "_IO_stdin_used",
    "_PROCEDURE_LINKAGE_TABLE_",
    "__EH_FRAME_BEGIN__",
    "__FRAME_END__",
    "__GNU_EH_FRAME_HDR",
    "__TMC_END__",
    "__abi_tag",
    "__bss_start",
    "__data_start",
    "__do_global_dtors_aux",
    "__do_global_dtors_aux_fini_array_entry",
    "__dso_handle",
    "__ehdr_start",
    "__fini_array_end",
    "__fini_array_start",
    "__frame_dummy_init_array_entry",
    "__init_array_end",
    "__init_array_start",
    "__preinit_array_end",
    "__preinit_array_start",
    "__rela_iplt_end",
    "__rela_iplt_start",
    "_edata",
    "_end",
    "_fini",
    "_init",
    "_start",
    "at_quick_exit",
    "atexit",
    "completed",
    "data_start",
    "deregister_tm_clones",
    "edata",
    "end",
    "etext",
    "_etext",
    "frame_dummy",
    "pthread_atfork",
    "register_tm_clones",
};
static_assert(std::ranges::find(kStartUp, "_start") != std::end(kStartUp));

// Made by the compiler from what the bitcode has: tables of exceptions, outlined parts, hooks.
bool is_generated(std::string_view symbol) {
  for (const char* prefix : {"__foretell_", "GCC_except_table", "DW.ref.", "OUTLINED_FUNCTION_",
                             "__start_", "__stop_", "foretell_cleanup"})
    if (symbol.starts_with(prefix)) return true;
  return false;
}

}  // namespace

Surroundings find_surroundings(const Binary& binary, const std::vector<std::string>& symbols) {
  const auto in_bitcode = [&](std::string_view symbol) {
    return std::ranges::binary_search(symbols, symbol);
  };
  // "counter.llvm.123", "work.cold": what LLVM makes of a symbol has a suffix.
  const auto is_explained = [&](const std::string& symbol) {
    const std::string_view stem = std::string_view(symbol).substr(0, symbol.find('.'));
    return in_bitcode(symbol) || in_bitcode(stem) || is_generated(symbol) ||
           std::ranges::find(kStartUp, stem) != std::end(kStartUp) ||
           std::ranges::find(binary.exported, symbol) != binary.exported.end();
  };
  Surroundings surroundings;
  for (const std::string& symbol : binary.exported) {
    if (!in_bitcode(symbol)) continue;
    surroundings.exported.push_back(symbol);
    surroundings.unknowns.push_back({UnknownKind::exported_symbol, symbol, 1});
  }
  if (!binary.has_symbol_table) {
    surroundings.unknowns.push_back({UnknownKind::no_symbol_table, "", 1});
    surroundings.all_exported = true;
  }
  for (const std::string& symbol : binary.defined) {
    if (is_explained(symbol)) continue;
    surroundings.unknowns.push_back({UnknownKind::foreign_code, symbol, 1});
    surroundings.all_exported = true;
  }
  surroundings.all_exported |= binary.is_relocatable;
  return surroundings;
}

}  // namespace foretell::bitcode
