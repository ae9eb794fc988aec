// SPDX-License-Identifier: Apache-2.0

// TokenStream: what the parsers of a specification read from.
//
// The language is LL(1), so a parser looks at the next token and goes on. It is written by hand
// because its messages are: each says where it stands, what was found there and what was expected.
// The first mistake ends the parse: `failed()` says whether there was one, and later ones are not
// recorded.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "property_language/lexer.h"

namespace foretell::property_language {

class TokenStream {
 public:
  TokenStream(std::vector<Token> tokens, std::string file)
      : tokens_(std::move(tokens)), file_(std::move(file)) {}

  const Token& peek() const { return tokens_[at_]; }
  const Token& peek_after() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  Token take() {
    Token token = tokens_[at_];
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  bool accept(std::string_view word_or_sign) {
    if (!peek().is(word_or_sign)) return false;
    take();
    return true;
  }
  // Takes it, or complains that `what` was expected.
  bool expect(std::string_view word_or_sign, std::string_view what = {}) {
    if (accept(word_or_sign)) return true;
    expected(what.empty() ? fmt::format("'{}'", word_or_sign) : std::string(what));
    return false;
  }
  std::string expect_word(std::string_view what) {
    if (peek().kind == Token::Kind::word) return take().text;
    expected(std::string(what));
    return "";
  }
  std::string expect_text(std::string_view what) {
    if (peek().kind == Token::Kind::text) return take().text;
    expected(std::string(what));
    return "";
  }
  // Whether the next token follows the one before it without a blank.
  bool adjoins() const {
    if (at_ == 0) return false;
    const Token& before = tokens_[at_ - 1];
    return before.kind != Token::Kind::text && before.offset + before.text.size() == peek().offset;
  }

  std::string place() const { return place_of(peek()); }
  std::string place_of(const Token& token) const {
    return fmt::format("{}:{}:{}", file_, token.line, token.column);
  }
  void expected(const std::string& what) {
    const Token& token = peek();
    const std::string found = token.kind == Token::Kind::end    ? "the end of the file"
                              : token.kind == Token::Kind::text ? "a text"
                                                                : fmt::format("'{}'", token.text);
    complain(place(), fmt::format("expected {}, found {}", what, found));
  }
  void complain(std::string where, std::string message) {
    complain(Diagnostic{std::move(message), std::move(where)});
  }
  void complain(Diagnostic diagnostic) {
    if (!failure_) failure_ = std::move(diagnostic);
    at_ = tokens_.size() - 1;  // whoever goes on finds the end
  }
  bool failed() const { return failure_.has_value(); }
  const std::optional<Diagnostic>& failure() const { return failure_; }

 private:
  std::vector<Token> tokens_;
  std::string file_;
  size_t at_ = 0;
  std::optional<Diagnostic> failure_;
};

}  // namespace foretell::property_language
