// SPDX-License-Identifier: Apache-2.0

#include "base/output.h"

#include <cerrno>
#include <cstring>
#include <utility>

namespace foretell {

Result<Output> Output::open(const std::string& path) {
  if (path == "-") return Output(stdout, "standard output");
  std::FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr) {
    Diagnostic diagnostic{fmt::format("cannot write {}: {}", path, std::strerror(errno)), ""};
    diagnostic.exit_code = ExitCode::io_error;
    return std::unexpected(std::move(diagnostic));
  }
  return Output(file, path);
}

Output::Output(Output&& other) noexcept
    : file_(std::exchange(other.file_, nullptr)), name_(std::move(other.name_)) {}

Output::~Output() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
}

std::unexpected<Diagnostic> Output::failed() const {
  Diagnostic diagnostic{fmt::format("cannot write {}: {}", name_, std::strerror(errno)), ""};
  diagnostic.exit_code = ExitCode::io_error;
  // A reader that went away (`| head`) wants no message.
  if (errno == EPIPE) diagnostic.message.clear();
  return std::unexpected(std::move(diagnostic));
}

Result<void> Output::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) return failed();
  return {};
}

Result<void> Output::close() {
  std::FILE* file = std::exchange(file_, nullptr);
  const int status = file == stdout ? std::fflush(file) : std::fclose(file);
  if (status != 0) return failed();
  return {};
}

Result<void> write_text(const std::string& path, std::string_view text) {
  auto output = Output::open(path);
  if (!output) return std::unexpected(std::move(output).error());
  if (auto done = output->write(text); !done) return done;
  return output->close();
}

}  // namespace foretell
