// SPDX-License-Identifier: Apache-2.0

#include "bitcode/symbols/symbols.h"

#include <llvm/DebugInfo/Symbolize/Symbolize.h>

namespace foretell::bitcode {
namespace {

constexpr std::string_view kUnknown = "<invalid>";

program::CodePlace place_of(const llvm::DILineInfo& info) {
  program::CodePlace place;
  if (info.FunctionName != kUnknown) place.function = info.FunctionName;
  if (info.FileName != kUnknown) place.file = info.FileName;
  place.line = info.Line;
  place.column = info.Column;
  return place;
}

}  // namespace

std::vector<std::vector<program::CodePlace>> symbolize(
    const std::vector<program::CodeAddress>& addresses) {
  llvm::symbolize::LLVMSymbolizer symbolizer;
  std::vector<std::vector<program::CodePlace>> all;
  for (const program::CodeAddress& address : addresses) {
    std::vector<program::CodePlace>& places = all.emplace_back();
    auto inlined = symbolizer.symbolizeInlinedCode(
        address.path, {address.offset, llvm::object::SectionedAddress::UndefSection});
    if (inlined) {
      for (uint32_t i = 0; i < inlined->getNumberOfFrames(); ++i) {
        places.push_back(place_of(inlined->getFrame(i)));
      }
    } else {
      llvm::consumeError(inlined.takeError());
    }
    if (places.empty()) places.emplace_back();
  }
  return all;
}

}  // namespace foretell::bitcode

extern "C" [[gnu::visibility("default")]] void foretell_symbolize(
    const std::vector<foretell::program::CodeAddress>& addresses,
    std::vector<std::vector<foretell::program::CodePlace>>& places) {
  places = foretell::bitcode::symbolize(addresses);
}
