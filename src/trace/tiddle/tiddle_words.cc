// SPDX-License-Identifier: Apache-2.0

#include "trace/tiddle/tiddle_words.h"

#include <charconv>

namespace foretell::trace {

using tiddle::Token;

namespace {

std::optional<uint64_t> parse_unsigned(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
    base = 16;
  }
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return {};
  return value;
}

// Values are 64 bits wide; a minus sign means two's complement.
std::optional<uint64_t> parse_value(std::string_view text) {
  if (!text.starts_with('-')) return parse_unsigned(text);
  auto magnitude = parse_unsigned(text.substr(1));
  if (!magnitude || *magnitude > uint64_t{1} << 63) return {};
  return -*magnitude;
}

std::optional<MemoryOrder> parse_order(std::string_view text) {
  for (uint8_t i = 0; i <= static_cast<uint8_t>(MemoryOrder::seq_cst); ++i) {
    if (word_of(MemoryOrder{i}) == text) return MemoryOrder{i};
  }
  return {};
}

// Splits `"quoted part"rest` or `plain part<separator>rest` after the name.
struct NameAndRest {
  std::string name;
  std::string_view rest;
};
NameAndRest split_name(const Token& token, std::string_view text, char separator) {
  if (token.quoted) return {tiddle::unescape(text), {}};
  if (text.starts_with('"')) {
    for (size_t i = 1; i < text.size(); ++i) {
      if (text[i] == '\\')
        ++i;
      else if (text[i] == '"')
        return {tiddle::unescape(text.substr(1, i - 1)), text.substr(i + 1)};
    }
  }
  const size_t at = text.find(separator);
  if (at == std::string_view::npos) return {std::string(text), {}};
  return {std::string(text.substr(0, at)), text.substr(at)};
}

// Where `:line:column` begins. The file name may hold colons itself.
static size_t begin_of_numbers(std::string_view text) {
  size_t begin = text.size();
  for (int parts = 0; parts < 2; ++parts) {
    const size_t colon = text.substr(0, begin).rfind(':');
    if (colon == std::string_view::npos || colon + 1 == begin) break;
    const std::string_view digits = text.substr(colon + 1, begin - colon - 1);
    if (digits.find_first_not_of("0123456789") != std::string_view::npos) break;
    begin = colon;
  }
  return begin;
}

}  // namespace

Result<Token> TiddleWords::operand(std::string_view what) {
  FORETELL_TRY(token, peek());
  if (token.end) {
    return fail_on(last_, "the text ends where '{}' needs {}", excerpt(operation_), what);
  }
  if (!token.quoted && (token.text.starts_with('@') || token.text.starts_with('#'))) {
    return fail_on(token, "'{}' needs {} before '{}'", excerpt(operation_), what,
                   excerpt(token.text));
  }
  take(token);
  return token;
}

Result<uint32_t> TiddleWords::location() {
  FORETELL_TRY(token, operand("a location"));
  const bool address = !token.quoted && token.text.starts_with("0x") &&
                       token.text.find(':') != std::string_view::npos &&
                       token.text.find('+') == std::string_view::npos;
  auto [name, rest] = split_name(token, token.text, address ? ':' : '+');
  if (rest.empty()) return static_cast<uint32_t>(tables_->intern_variable(name));

  Location range;
  std::string_view offset = name, size = rest;
  if (!address) {
    const size_t colon = rest.starts_with('+') ? rest.find(':') : 0;
    offset = colon == 0 ? std::string_view{} : rest.substr(1, colon - 1);
    size = colon == std::string_view::npos ? std::string_view{} : rest.substr(colon);
  }
  const auto from = parse_unsigned(offset);
  const auto length = size.empty() ? std::nullopt : parse_unsigned(size.substr(1));
  if (!from || !length || *length == 0 || *from + *length < *from) {
    return fail_on(token, "'{}' is not a range of bytes: write name+OFFSET:SIZE or 0xADDRESS:SIZE",
                   excerpt(token.text));
  }
  if (!address) range.space = tables_->strings.intern(name);
  range.offset = *from;
  range.size = *length;
  return static_cast<uint32_t>(tables_->locations.intern(range));
}

Result<std::optional<uint64_t>> TiddleWords::optional_value() {
  FORETELL_TRY(token, peek());
  if (token.end || token.quoted) return std::nullopt;
  const char first = token.text.front();
  if (first != '-' && (first < '0' || first > '9')) return std::nullopt;
  auto value = parse_value(token.text);
  if (!value) return fail_on(token, "'{}' is not a 64-bit integer", excerpt(token.text));
  take(token);
  return value;
}

Result<uint64_t> TiddleWords::optional_ticket(std::string_view word) {
  FORETELL_TRY(token, peek());
  if (token.end || token.quoted) return Event::kUnknown;
  if (!word.empty() && token.text == word) {
    take(token);
    return Event::kNoPartner;
  }
  if (!token.text.starts_with('#')) return Event::kUnknown;
  auto ticket = parse_unsigned(token.text.substr(1));
  if (!ticket || *ticket >= Event::kNoPartner - 1) {
    return fail_on(token, "'{}' is not a ticket: write # and a number", excerpt(token.text));
  }
  take(token);
  return *ticket + 1;  // 0 means unknown inside
}

Result<MemoryOrder> TiddleWords::optional_order() {
  FORETELL_TRY(token, peek());
  if (token.end || token.quoted || !on_same_line()) return MemoryOrder::seq_cst;
  auto order = parse_order(token.text);
  if (!order) return MemoryOrder::seq_cst;
  take(token);
  return *order;
}

// @file:line:column [in=FUNCTION] [as=EXPRESSION], in this order
Result<SiteId> TiddleWords::optional_site() {
  FORETELL_TRY(token, peek());
  if (token.end || token.quoted || !token.text.starts_with('@')) return kNoSite;
  take(token);
  Site site;
  std::string_view text = token.text.substr(1);
  std::string file;
  const bool quoted_file = text.starts_with('"');
  if (quoted_file) {
    auto [quoted, rest] = split_name(token, text, ':');
    file = quoted;
    text = rest;
  } else {
    // The last two numeric parts are line and column; the file name may hold colons itself.
    const size_t numbers = begin_of_numbers(text);
    file = std::string(text.substr(0, numbers));
    text = text.substr(numbers);
  }
  uint32_t* fields[] = {&site.line, &site.column};
  for (uint32_t* field : fields) {
    if (text.empty()) break;
    const size_t end = text.find(':', 1);
    auto number = text.front() == ':' ? parse_unsigned(text.substr(1, end - 1)) : std::nullopt;
    if (!number || *number > UINT32_MAX || *number == 0) {
      return fail_on(token, "'{}' is not a site: write @file:line:column", excerpt(token.text));
    }
    *field = static_cast<uint32_t>(*number);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end);
  }
  if (!text.empty() || (file.empty() && !quoted_file)) {
    return fail_on(token, "'{}' is not a site: write @file:line:column", excerpt(token.text));
  }
  site.file = tables_->strings.intern(file);
  FORETELL_TRY(function, site_part("in="));
  site.function = function;
  FORETELL_TRY(expression, site_part("as="));
  site.expression = expression;
  return tables_->sites.intern(site);
}

Result<StringId> TiddleWords::site_part(std::string_view prefix) {
  FORETELL_TRY(token, peek());
  if (token.end || token.quoted || !token.text.starts_with(prefix)) return StringId{};
  take(token);
  const std::string_view rest = token.text.substr(prefix.size());
  if (!rest.starts_with('"')) return tables_->strings.intern(rest);
  auto [name, tail] = split_name(token, rest, ' ');
  if (!tail.empty()) return fail_on(token, "'{}' has text after its name", excerpt(token.text));
  return tables_->strings.intern(name);
}

}  // namespace foretell::trace
