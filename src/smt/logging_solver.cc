// SPDX-License-Identifier: Apache-2.0

#include "smt/logging_solver.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/output.h"
#include "smt/smtlib.h"

namespace foretell::smt {
namespace {

std::string file_name_part(std::string_view purpose) {
  std::string part(purpose.substr(0, 40));
  std::ranges::replace_if(
      part,
      [](char c) {
        const bool is_plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
        return !is_plain;
      },
      '_');
  return part;
}

}  // namespace

Outcome LoggingSolver::check(const Query& query) {
  const std::string path =
      fmt::format("{}/{:06}-{}.smt2", directory_, ++count_, file_name_part(query.purpose));
  const std::string script = to_smtlib(query);
  write(path, script);
  Outcome outcome = next_.check(query);
  const bool has_reason = !outcome.reason.empty();
  write(path, fmt::format("{}; outcome: {}{}{}\n", script, name_of(outcome.kind),
                          has_reason ? ": " : "", outcome.reason));
  return outcome;
}

void LoggingSolver::write(const std::string& path, const std::string& text) {
  if (Result<void> written = write_text(path, text); !written && !failure_) {
    failure_ = std::move(written).error();
  }
}

}  // namespace foretell::smt
