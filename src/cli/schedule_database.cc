// SPDX-License-Identifier: Apache-2.0

#include "cli/schedule_database.h"

#include <cstdlib>
#include <filesystem>

#include "base/input_file.h"
#include "bitcode/library.h"
#include "cli/bitcode_library.h"
#include "cli/installation.h"
#include "launch/launch.h"
#include "symbolic/schedules/database.h"

namespace foretell::cli {

namespace fs = std::filesystem;

namespace {

bool is_source(const std::string& path) {
  static const std::vector<std::string> kEndings = {".c", ".cc", ".cpp", ".cxx", ".C"};
  return std::ranges::find(kEndings, fs::path(path).extension().string()) != kEndings.end();
}

}  // namespace

Result<ScratchFolder> ScratchFolder::make() {
  std::error_code failed;
  std::string path = (fs::temp_directory_path(failed) / "foretell-XXXXXX").string();
  if (failed || !::mkdtemp(path.data())) return fail("cannot make a temporary folder");
  return ScratchFolder(path);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Result<void> run_compiler(const std::vector<std::string>& command, const std::string& what) {
  FORETELL_TRY(end, launch::launch({.command = command}));
  if (end.exit_status() != 0) return fail("{}: the compiler {}", what, end.describe());
  return {};
}

Result<std::string> prepare_program(const std::vector<std::string>& files,
                                    const std::vector<std::string>& compiler_options) {
  FORETELL_TRY(clang, find_clang());
  FORETELL_TRY(root, installation_root());
  FORETELL_TRY(scratch, ScratchFolder::make());
  std::vector<std::string> modules;
  for (const std::string& file : files) {
    if (!is_source(file)) {
      modules.push_back(file);
      continue;
    }
    const std::string module = scratch / (std::to_string(modules.size()) + ".bc");
    std::vector<std::string> command = {
        clang, "-c",         "-emit-llvm",          "-O0",
        "-g",  "-Xclang",    "-disable-O0-optnone", "-fgnu89-inline",
        "-w",  "-idirafter", root + "/include"};
    if (!file.ends_with(".c")) std::erase(command, "-fgnu89-inline");
    command.insert(command.end(), compiler_options.begin(), compiler_options.end());
    command.insert(command.end(), {file, "-o", module});
    if (auto done = run_compiler(command, file); !done) return std::unexpected(done.error());
    modules.push_back(module);
  }
  FORETELL_TRY(function, bitcode_function(bitcode::kPrepare));
  Result<std::string> prepared;
  reinterpret_cast<bitcode::Prepare*>(function)(modules, prepared);
  return prepared;
}

Result<program::Code> lower_program(const std::string& bitcode) {
  FORETELL_TRY(function, bitcode_function(bitcode::kLower));
  Result<program::Code> code;
  reinterpret_cast<bitcode::Lower*>(function)(bitcode, code);
  if (!code) return code;
  const program::CodeFunction* main = code->find_function("main");
  if (!main || main->blocks.empty()) return fail("the program has no main");
  return code;
}

Result<std::string> read_part(const std::string& database, const std::string& part) {
  std::error_code ignored;
  const std::string path = database + "/" + part;
  if (!fs::exists(path, ignored))
    return std::unexpected(Diagnostic{"this is no database of schedules", database}.with_note(
        "make one with: foretell schedules file.c --threads=N -o " + database));
  FORETELL_TRY(file, InputFile::open(path));
  return std::string(file.bytes());
}

Result<symbolic::Cover> read_schedules(const std::string& database, smt::ExprContext& context) {
  FORETELL_TRY(text, read_part(database, "schedules.json"));
  return symbolic::read_cover(text, database, context);
}

}  // namespace foretell::cli
