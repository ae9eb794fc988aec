// SPDX-License-Identifier: Apache-2.0

#include "property_language/lexer.h"

#include <algorithm>
#include <cctype>

namespace foretell::property_language {
namespace {

// Longer ones first.
constexpr std::string_view kSigns[] = {
    "<->", "[*]", "<*>", "(*)", "->", "=>", "[]", "<>", "==", "!=", "<=",
    ">=",  "&&",  "||",  "::",  "{",  "}",  "(",  ")",  ";",  ",",  "=",
    "<",   ">",   "!",   "~",   "&",  "|",  "*",  "+",  "?",  ".",  "_",
};

bool begins_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}
bool continues_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

size_t word_length(std::string_view text) {
  size_t length = 0;
  while (length < text.size() && continues_word(text[length])) ++length;
  return length;
}

size_t number_length(std::string_view text) {
  size_t length = text[0] == '-' ? 1 : 0;
  while (length < text.size() && (continues_word(text[length]) || text[length] == '.')) ++length;
  return length;
}

bool begins_number(std::string_view text) {
  auto digit = [&](size_t i) {
    return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i]));
  };
  return digit(0) || (text[0] == '-' && digit(1));
}

}  // namespace

Result<std::vector<Token>> tokens_of(std::string_view text, const std::string& file) {
  std::vector<Token> tokens;
  Token at;
  auto advance = [&](size_t count) {
    for (size_t i = 0; i < count; ++i) {
      if (text[at.offset++] == '\n') {
        ++at.line;
        at.column = 1;
      } else {
        ++at.column;
      }
    }
  };
  auto take = [&](Token::Kind kind, std::string_view what, size_t length) {
    Token token = at;
    token.kind = kind;
    token.text = what;
    tokens.push_back(std::move(token));
    advance(length);
  };
  while (at.offset < text.size()) {
    const std::string_view rest = text.substr(at.offset);
    if (std::isspace(static_cast<unsigned char>(rest[0]))) {
      advance(1);
    } else if (rest[0] == '#') {
      advance(std::min(rest.find('\n'), rest.size()));
    } else if (rest[0] == '"') {
      const size_t end = rest.find_first_of("\"\n", 1);
      if (end == rest.npos || rest[end] == '\n') {
        return fail_at(fmt::format("{}:{}:{}", file, at.line, at.column),
                       "the text that begins here has no closing '\"' on its line");
      }
      take(Token::Kind::text, rest.substr(1, end - 1), end + 1);
    } else if (begins_number(rest)) {
      const size_t length = number_length(rest);
      take(Token::Kind::number, rest.substr(0, length), length);
    } else if (begins_word(rest[0]) && !(rest[0] == '_' && word_length(rest) == 1)) {
      const size_t length = word_length(rest);
      take(Token::Kind::word, rest.substr(0, length), length);
    } else {
      const auto* sign =
          std::ranges::find_if(kSigns, [&](std::string_view s) { return rest.starts_with(s); });
      if (sign == std::end(kSigns)) {
        return fail_at(fmt::format("{}:{}:{}", file, at.line, at.column),
                       "'{}' means nothing in a property", rest.substr(0, 1));
      }
      take(Token::Kind::sign, *sign, sign->size());
    }
  }
  tokens.push_back(at);
  return tokens;
}

}  // namespace foretell::property_language
