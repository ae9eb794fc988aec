// SPDX-License-Identifier: Apache-2.0

// What library functions do, from a specification in text (share/externals.spec, which says how to
// write one). Whatever has no row may do anything.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace foretell::bitcode {

// What becomes of pointers.
enum class Effect : uint8_t {
  touches,  // none is kept
#define FORETELL_EFFECT(name) name,
#include "bitcode/effects.def"
  unknown,  // in no row
};

struct External {
  static constexpr uint32_t kAllArguments = ~uint32_t{0};

  Effect effect = Effect::unknown;
  uint32_t writes = kAllArguments;  // bit i: through argument i
  bool has_state = true;
  bool synchronizes = false;
  bool returns = false;

  bool writes_through(unsigned argument) const {
    return argument >= 32 ? writes == kAllArguments : (writes >> argument & 1) != 0;
  }
};

class Externals {
 public:
  // Those of the C and C++ libraries that come with Foretell.
  static const Externals& common();

  // Adds the rows of a specification; those that are there are replaced. `where` is what messages
  // call it.
  Result<void> read(std::string_view text, const std::string& where);

  const External& of(std::string_view symbol) const;

 private:
  struct Prefix {
    std::string text;
    External external;
  };

  std::map<std::string, External, std::less<>> names_;
  std::vector<Prefix> prefixes_;
};

// The text of share/externals.spec.
std::string_view common_externals();

}  // namespace foretell::bitcode
