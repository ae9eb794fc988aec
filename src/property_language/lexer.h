// SPDX-License-Identifier: Apache-2.0

// Words and signs of a specification, with their places.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace foretell::property_language {

struct Token {
  enum class Kind : uint8_t {
    word,    // letters, digits and _
    number,  // 5, -3, 0x1f, 2.5
    text,    // "..."; `text` is without the quotes
    sign,    // the longest of those in lexer.cc
    end,
  };
  Kind kind = Kind::end;
  std::string text = {};
  size_t offset = 0;
  uint32_t line = 1, column = 1;

  bool is(std::string_view sign_or_word) const {
    return (kind == Kind::word || kind == Kind::sign) && text == sign_or_word;
  }
};

// Ends with a token of kind end.
Result<std::vector<Token>> tokens_of(std::string_view text, const std::string& file);

}  // namespace foretell::property_language
