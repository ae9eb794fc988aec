// SPDX-License-Identifier: Apache-2.0

// Words of Tiddle text, with their line numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace foretell::tiddle {

struct Token {
  std::string_view text;  // of a quoted string: the escaped inside
  uint32_t line = 0;
  bool quoted = false;
  bool end = false;  // nothing is left
};

class Lexer {
 public:
  static constexpr size_t kLongestWord = size_t{1} << 20;

  explicit Lexer(std::string_view bytes) : bytes_(bytes) {}

  // The next word without taking it. White space, line ends and comments are passed over.
  Result<Token> peek();
  void take() { has_token_ = false; }
  // Whether the next word stands on the line of the last one taken.
  bool on_same_line(const Token& previous);

  size_t offset() const { return position_; }
  uint32_t line() const { return line_; }

 private:
  void skip_blank();
  Result<Token> scan();

  std::string_view bytes_;
  size_t position_ = 0;
  uint32_t line_ = 1;
  bool has_token_ = false;
  Token token_;
};

// A word that must not be mistaken for anything else: quoted if need be.
std::string quote_if_needed(std::string_view name);
std::string unescape(std::string_view inside);

}  // namespace foretell::tiddle
