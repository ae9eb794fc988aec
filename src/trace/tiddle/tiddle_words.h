// SPDX-License-Identifier: Apache-2.0

// What lines of Tiddle text are made of: names, locations, values, tickets, memory orders, sites.
//
// Messages name the line they are about; whoever knows the file puts its name before it.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/diagnostic.h"
#include "trace/event.h"
#include "trace/tables.h"
#include "trace/text.h"
#include "trace/tiddle/tiddle_lexer.h"

namespace foretell::trace {

class TiddleWords {
 public:
  TiddleWords(std::string_view text, TraceTables& tables) : lexer_(text), tables_(&tables) {}

  Result<tiddle::Token> peek() { return lexer_.peek(); }
  void take(const tiddle::Token& token) {
    lexer_.take();
    last_ = token;
  }
  // Takes the word that a line begins with; messages about what follows name it.
  void begin(const tiddle::Token& token) {
    take(token);
    operation_ = token.text;
  }
  // Whether the next word stands on the line of the last one taken.
  bool on_same_line() { return lexer_.on_same_line(last_); }
  const tiddle::Token& last() const { return last_; }
  size_t offset() const { return lexer_.offset(); }

  template <class... Args>
  std::unexpected<Diagnostic> fail_on(const tiddle::Token& token,
                                      fmt::format_string<Args...> format, Args&&... args) {
    return fail_at(std::to_string(token.line), format, std::forward<Args>(args)...);
  }

  Result<tiddle::Token> operand(std::string_view what);
  template <class Table>
  Result<uint32_t> name(Table& table, std::string_view what) {
    FORETELL_TRY(token, operand(what));
    if (token.quoted) return static_cast<uint32_t>(table.intern(tiddle::unescape(token.text)));
    return static_cast<uint32_t>(table.intern(token.text));
  }

  Result<uint32_t> location();
  // The next word if it is a value (no operation begins with a digit).
  Result<std::optional<uint64_t>> optional_value();
  // `#TICKET`, or `word` for "no partner".
  Result<uint64_t> optional_ticket(std::string_view word = "");
  // On the same line only: on the next one `acq` and `rel` are operations.
  Result<MemoryOrder> optional_order();
  Result<SiteId> optional_site();

 private:
  Result<StringId> site_part(std::string_view prefix);

  tiddle::Lexer lexer_;
  TraceTables* tables_;
  std::string_view operation_;  // the one being read, for messages
  tiddle::Token last_;          // the last word taken
};

}  // namespace foretell::trace
