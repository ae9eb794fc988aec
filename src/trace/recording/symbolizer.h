// SPDX-License-Identifier: Apache-2.0

// Names for places in binaries: file, line and function of code addresses, from debug information.
//
// Objects built with -fsanitize=thread carry no site table; a recording of them names code by
// module and file offset. LLVM's symbolizer knows the rest. It is run once for all places, as a
// program of its own: reading DWARF is its trade, and a broken binary then breaks only it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace foretell::recording {

struct CodePlace {
  std::string path;     // of the executable or library
  uint64_t offset = 0;  // in that file
};

struct SourcePlace {
  std::string file;      // empty if unknown
  std::string function;  // without parameters; empty if unknown
  uint32_t line = 0, column = 0;
  bool is_library = false;
};

inline constexpr std::string_view kSymbolizer = "llvm-symbolizer-19";
inline constexpr std::string_view kSymbolizerPackage = "llvm-19";

// What the symbolizer `tool` says of each place, in order: of a place in inlined code, the
// innermost function that is not a library's. Nothing if the tool cannot be run.
std::optional<std::vector<SourcePlace>> symbolize(std::span<const CodePlace> places,
                                                  std::string_view tool = kSymbolizer);

// "Queue::push" of "Queue::push(int) const".
std::string_view without_parameters(std::string_view function);

}  // namespace foretell::recording
