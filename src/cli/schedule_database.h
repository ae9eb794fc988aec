// SPDX-License-Identifier: Apache-2.0

// What the commands `schedules` and `constrain` share: programs as bitcode, and databases of schedules.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "program/code.h"
#include "smt/expr_context.h"
#include "symbolic/schedules/cover.h"

namespace foretell::cli {

// The prepared module of sources, bitcode files or a program with its bitcode.
Result<std::string> prepare_program(const std::vector<std::string>& files,
                                    const std::vector<std::string>& compiler_options);
Result<program::Code> lower_program(const std::string& bitcode);

// A file of the database, whole.
Result<std::string> read_part(const std::string& database, const std::string& part);
Result<symbolic::Cover> read_schedules(const std::string& database, smt::ExprContext& context);

// A folder of its own below the system's place for such, gone with the object.
class ScratchFolder {
 public:
  static Result<ScratchFolder> make();
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::move(other.path_)) {
    other.path_.clear();
  }
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// Runs a compiler; its messages are shown, and `what` is said to have failed if it does.
Result<void> run_compiler(const std::vector<std::string>& command, const std::string& what);

}  // namespace foretell::cli
