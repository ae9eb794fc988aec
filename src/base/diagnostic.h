// SPDX-License-Identifier: Apache-2.0

// What a user is told when the input or the environment is wrong: one sentence, the place, and how
// to fix it. Functions that can fail for such a reason return Result<T>.
#pragma once

#include <fmt/format.h>

#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "base/exit_code.h"
#include "base/printable.h"

namespace foretell {

struct Diagnostic {
  std::string message;
  std::string where;  // "race.tiddle:12", "event 40 (line 12)"; empty when there is no place
  std::vector<std::string> notes = {};
  ExitCode exit_code = ExitCode::bad_input;

  Diagnostic&& with_note(std::string note) && {
    notes.push_back(std::move(note));
    return std::move(*this);
  }

  // Clang's look: "where: error: message", then one "note: ..." line each.
  std::string to_text(std::string_view severity = "error") const {
    std::string text;
    if (!where.empty()) text += where + ": ";
    text += fmt::format("{}: {}\n", severity, message);
    for (const std::string& note : notes) text += "note: " + note + "\n";
    return printable_lines(text);
  }
};

template <class T>
using Result = std::expected<T, Diagnostic>;

template <class... Args>
std::unexpected<Diagnostic> fail(fmt::format_string<Args...> format, Args&&... args) {
  return std::unexpected(Diagnostic{fmt::format(format, std::forward<Args>(args)...), ""});
}

template <class... Args>
std::unexpected<Diagnostic> fail_at(std::string where, fmt::format_string<Args...> format,
                                    Args&&... args) {
  return std::unexpected(
      Diagnostic{fmt::format(format, std::forward<Args>(args)...), std::move(where)});
}

}  // namespace foretell

// Evaluates an expression of type Result<T>; returns its Diagnostic from the calling function on
// failure, and otherwise declares `variable` as its value.
#define FORETELL_TRY(variable, expression)                                              \
  auto variable##_result = (expression);                                                \
  if (!variable##_result) return std::unexpected(std::move(variable##_result).error()); \
  auto& variable = *variable##_result
