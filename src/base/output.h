// SPDX-License-Identifier: Apache-2.0

// Output: where a command writes. A full disk or a closed pipe becomes a Diagnostic.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace foretell {

class Output {
 public:
  // "-" is standard output.
  static Result<Output> open(const std::string& path);
  Output(Output&& other) noexcept;
  Output& operator=(Output&&) = delete;
  ~Output();

  Result<void> write(std::string_view text);
  // Must be called: what was written may fail as late as here.
  Result<void> close();

 private:
  Output(std::FILE* file, std::string name) : file_(file), name_(std::move(name)) {}
  std::unexpected<Diagnostic> failed() const;

  std::FILE* file_;
  std::string name_;
};

// Writes all of `text` to `path` ("-" is standard output).
Result<void> write_text(const std::string& path, std::string_view text);

}  // namespace foretell
