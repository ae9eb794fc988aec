// SPDX-License-Identifier: Apache-2.0

// Identifiers for the names of a trace, which may be any text.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <string>
#include <string_view>

namespace foretell::tiddle {

class Names {
 public:
  Names();

  // An identifier of C++ and Java that is not in use yet and not a keyword, as close to
  // `wanted` as possible. `prefix` goes before a name that could not begin an identifier.
  std::string add(std::string_view wanted, std::string_view prefix);

 private:
  absl::flat_hash_set<std::string> taken_;
};

// The text as it may stand in a // comment and in a string literal of C++ and Java.
std::string as_comment(std::string_view text);
std::string as_literal(std::string_view text);

}  // namespace foretell::tiddle
