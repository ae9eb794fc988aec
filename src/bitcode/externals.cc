// SPDX-License-Identifier: Apache-2.0

#include "bitcode/externals.h"

#include <absl/container/flat_hash_map.h>

namespace foretell::bitcode {
namespace {

struct Prefix {
  std::string_view text;
  Effect effect;
};
constexpr Prefix kPrefixes[] = {
#define FORETELL_EXTERNAL(effect, name)
#define FORETELL_EXTERNALS(effect, prefix) {#prefix, Effect::effect},
#include "bitcode/externals.def"
};

const absl::flat_hash_map<std::string_view, Effect>& names() {
  static const absl::flat_hash_map<std::string_view, Effect> table = {
#define FORETELL_EXTERNAL(effect, name) {#name, Effect::effect},
#define FORETELL_EXTERNALS(effect, prefix)
#include "bitcode/externals.def"
  };
  return table;
}

}  // namespace

Effect effect_of(std::string_view symbol) {
  if (const auto row = names().find(symbol); row != names().end()) return row->second;
  for (const Prefix& prefix : kPrefixes)
    if (symbol.starts_with(prefix.text)) return prefix.effect;
  return Effect::unknown;
}

}  // namespace foretell::bitcode
