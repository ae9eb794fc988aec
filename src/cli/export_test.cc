// SPDX-License-Identifier: Apache-2.0

#include "cli/export_test.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/input_file.h"
#include "base/output.h"
#include "launch/launch.h"
#include "replay/regression.h"
#include "replay/smallest_run.h"
#include "tiddle/compile.h"
#include "trace/tiddle/tiddle_reader.h"

namespace foretell::cli {
namespace {

namespace fs = std::filesystem;

// A CMake list element: nothing in it is special.
std::string cmake_word(const std::string& word) {
  return "[==[" + word + "]==]";
}

std::string cmake_file(const std::string& name, const std::string& program,
                       const launch::RunInfo& info) {
  const std::string contended =
      info.only_contended
          ? fmt::format("          --schedule-memory=${{CMAKE_CURRENT_LIST_DIR}}/{}.contended\n",
                        name)
          : "";
  std::string arguments;
  for (size_t i = 1; i < info.command.size(); ++i) arguments += ' ' + cmake_word(info.command[i]);
  std::string text = fmt::format(
      "# Fails while {0} is in the program, and passes when it is fixed. Add it with\n"
      "#   include(PATH/{0}.cmake)\n"
      "# and, if the program is built elsewhere, set FORETELL_PROGRAM before.\n"
      "find_program(FORETELL_EXECUTABLE foretell REQUIRED)\n"
      "if(NOT DEFINED FORETELL_PROGRAM)\n"
      "  set(FORETELL_PROGRAM {1})\n"
      "endif()\n"
      "add_test(NAME foretell/{0}\n"
      "  COMMAND ${{FORETELL_EXECUTABLE}} run --regression=${{CMAKE_CURRENT_LIST_DIR}}/{0}.json\n"
      "          --schedule=${{CMAKE_CURRENT_LIST_DIR}}/{0}.ft1\n{4}"
      "          --output=${{CMAKE_CURRENT_BINARY_DIR}}/{0}.run\n"
      "          -- ${{FORETELL_PROGRAM}}{2}\n"
      "  WORKING_DIRECTORY {3})\n",
      name, cmake_word(program), arguments, cmake_word(info.directory), contended);
  if (info.environment.empty()) return text;
  text += fmt::format("set_property(TEST foretell/{} PROPERTY ENVIRONMENT", name);
  for (const auto& [variable, value] : info.environment) {
    text += ' ' + cmake_word(variable + '=' + value);
  }
  return text + ")\n";
}

}  // namespace

Result<ExportedTest> export_as_test(const finding::Finding& finding,
                                    const schedule::Schedule& schedule,
                                    const launch::RunDirectory& directory,
                                    const launch::RunInfo& info, const std::string& folder) {
  const std::string& name = finding.id;
  FORETELL_TRY(found, launch::find_program(info.command[0], info.directory));
  const std::string program = fs::absolute(found).lexically_normal().string();
  const std::string base = folder + '/' + name;
  std::vector<std::pair<std::string, std::string>> files = {
      {base + ".cmake", cmake_file(name, program, info)},
      {base + ".json", to_json(replay::bug_of(finding))},
      {base + ".ft1", schedule.to_file(name)}};
  if (info.only_contended) {
    FORETELL_TRY(list, InputFile::open(directory.contended()));
    files.emplace_back(base + ".contended", list.bytes());
  }
  const auto smallest = replay::smallest_run(finding);
  if (smallest) {
    const std::string trace =
        fmt::format("# {}: the smallest run with the same bug\n{}", name, *smallest);
    FORETELL_TRY(minimal, trace::parse_tiddle(trace));
    FORETELL_TRY(minimal_program, tiddle::compile_tiddle(minimal, {.name = name}));
    files.emplace_back(base + ".tiddle", trace);
    files.emplace_back(base + ".cc", minimal_program);
  }
  std::error_code error;
  fs::create_directories(folder, error);
  for (const auto& [path, text] : files) {
    if (auto written = write_text(path, text); !written) {
      return std::unexpected(std::move(written).error());
    }
  }
  return ExportedTest{base, smallest.has_value()};
}

}  // namespace foretell::cli
