// SPDX-License-Identifier: Apache-2.0

#include "trace/tiddle/tiddle_lexer.h"

#include <algorithm>
#include <charconv>

#include "base/printable.h"
#include "trace/text.h"

namespace foretell::tiddle {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool begins_comment(std::string_view rest) {
  if (rest.starts_with("//")) return true;
  return rest.starts_with('#') && (rest.size() == 1 || !is_digit(rest[1]));
}

}  // namespace

void Lexer::skip_blank() {
  while (position_ < bytes_.size()) {
    const char c = bytes_[position_];
    if (is_blank(c)) {
      line_ += c == '\n';
      ++position_;
    } else if (begins_comment(bytes_.substr(position_))) {
      const size_t end = bytes_.find('\n', position_);
      position_ = end == std::string_view::npos ? bytes_.size() : end;
    } else {
      return;
    }
  }
}

Result<Token> Lexer::peek() {
  if (!has_token_) {
    skip_blank();
    FORETELL_TRY(token, scan());
    token_ = token;
    has_token_ = true;
  }
  return token_;
}

bool Lexer::on_same_line(const Token& previous) {
  auto next = peek();
  return next && !next->end && next->line == previous.line;
}

// A word runs to the next blank; a quote inside it (`@"my file.c":3`) protects blanks.
Result<Token> Lexer::scan() {
  Token token;
  token.line = line_;
  const size_t start = position_;
  if (start == bytes_.size()) {
    token.end = true;
    return token;
  }
  bool inside = false;
  while (position_ < bytes_.size()) {
    const char c = bytes_[position_];
    if (c == '"') inside = !inside;
    if (c == '\n') break;
    if (!inside && is_blank(c)) break;
    if (inside && c == '\\' && position_ + 1 < bytes_.size()) ++position_;
    ++position_;
    if (position_ - start > kLongestWord) {
      position_ = start;
      return fail_at(std::to_string(token.line), "a word is longer than {} bytes: '{}'",
                     kLongestWord, trace::excerpt(bytes_.substr(start)));
    }
  }
  if (inside) {
    position_ = start;  // whoever looks again must see the same error
    return fail_at(std::to_string(token.line), "a quoted name is not closed on its line");
  }
  token.text = bytes_.substr(start, position_ - start);
  if (token.text.size() >= 2 && token.text.front() == '"' && token.text.back() == '"') {
    token.text = token.text.substr(1, token.text.size() - 2);
    token.quoted = true;
  }
  return token;
}

std::string quote_if_needed(std::string_view name) {
  bool plain = !name.empty() && name.front() != '@' && !begins_comment(name) &&
               !(name.front() == '#') && name.find('=') == std::string_view::npos;
  for (size_t at = 0; at < name.size(); ++at) {
    const char c = name[at];
    plain &= !is_blank(c) && c != '"' && c != '\\' && c != '+' && c != ':';
    plain &= unprintable_at(name.substr(at)) == 0;
  }
  if (plain) return std::string(name);
  std::string out = "\"";
  for (size_t at = 0; at < name.size(); ++at) {
    const char c = name[at];
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        if (const size_t size = unprintable_at(name.substr(at)); size > 0) {
          for (const char byte : name.substr(at, size)) {
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
          }
          at += size - 1;
        } else {
          out += c;
        }
    }
  }
  return out + "\"";
}

std::string unescape(std::string_view inside) {
  std::string out;
  for (size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] != '\\' || i + 1 == inside.size()) {
      out += inside[i];
      continue;
    }
    switch (inside[++i]) {
      case 'n':
        out += '\n';
        break;
      case 't':
        out += '\t';
        break;
      case 'r':
        out += '\r';
        break;
      case 'x': {
        unsigned byte = 0;
        const char* const digits = inside.data() + i + 1;
        const char* const end = digits + std::min<size_t>(inside.size() - i - 1, 2);
        const char* const after = std::from_chars(digits, end, byte, 16).ptr;
        out += after == digits ? 'x' : static_cast<char>(byte);
        i += static_cast<size_t>(after - digits);
        break;
      }
      default:
        out += inside[i];
    }
  }
  return out;
}

}  // namespace foretell::tiddle
