// SPDX-License-Identifier: Apache-2.0

// InputFile: the bytes of a file, as one read-only span.
//
// A regular file is mapped. Standard input ("-") and other unseekable files are first spooled to an
// unlinked temporary file, because an analysis reads a trace more than once (streaming pass, then
// the judge). Pages already read can be given back, so a reader that calls release_before() keeps a
// flat footprint on files of any size.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace foretell {

class InputFile {
 public:
  // Opens `path`; "-" is standard input. `name()` is what messages call it.
  static Result<InputFile> open(const std::string& path);
  // Wraps bytes owned by the caller, for tests and fuzzers.
  static InputFile from_memory(std::string_view bytes, std::string name = "<memory>");

  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  ~InputFile();

  std::string_view bytes() const { return bytes_; }
  const std::string& name() const { return name_; }

  // Tells the kernel that pages before `offset` are not needed for now; they may be read again.
  void release_before(size_t offset);

 private:
  InputFile() = default;
  Result<void> map(int fd);

  std::string name_;
  std::string_view bytes_;
  bool mapped_ = false;
  size_t released_ = 0;  // mapped pages before this offset were given back
};

}  // namespace foretell
