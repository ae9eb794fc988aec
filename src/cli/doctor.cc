// SPDX-License-Identifier: Apache-2.0

// foretell doctor [PROGRAM]: what is wrong with this machine, or with a program that should be
// recorded, and how to fix it.

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/output.h"
#include "cli/command.h"
#include "launch/launch.h"
#include "launch/program.h"

namespace foretell::cli {
namespace {

namespace fs = std::filesystem;

struct Check {
  std::string what;
  bool ok;
  std::string detail;
  std::string fix;
};

// The first line a command prints, or nothing if it cannot be run.
std::optional<std::string> first_line_of(const std::string& command) {
  std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {};
  char line[256] = "";
  const bool got = std::fgets(line, sizeof line, pipe) != nullptr;
  // Read to the end: a program that meets a closed pipe exits with an error.
  for (char rest[256]; std::fgets(rest, sizeof rest, pipe) != nullptr;) {
  }
  const int status = ::pclose(pipe);
  if (!got || status != 0) return {};
  std::string text(line);
  text.erase(text.find_last_not_of("\r\n") + 1);
  return text;
}

Check check_tool(std::string what, const std::string& command, const std::string& package) {
  auto line = first_line_of(command);
  return {std::move(what), line.has_value(), line.value_or("not found"),
          "apt-get install " + package};
}

// A file that belongs to Foretell, beside the command in the build tree and when installed.
Check check_part(std::string what, const char* name) {
  std::error_code error;
  const fs::path root = fs::read_symlink("/proc/self/exe", error).parent_path().parent_path();
  const fs::path path = root / "lib/foretell" / name;
  const bool there = fs::exists(path, error);
  return {std::move(what), there, path.string() + (there ? "" : " is missing"),
          "build all targets, or install Foretell again"};
}

Check check_folder(std::string what, const std::string& folder, std::string fix) {
  std::string path = folder + "/foretell-doctor-XXXXXX";
  const int fd = ::mkstemp(path.data());
  if (fd >= 0) {
    ::close(fd);
    ::unlink(path.c_str());
  }
  return {std::move(what), fd >= 0, folder + (fd >= 0 ? " is writable" : " is not writable"),
          std::move(fix)};
}

Check check_temporary_folder() {
  const char* chosen = std::getenv("TMPDIR");
  return check_folder("temporary folder (traces from standard input)",
                      chosen && *chosen ? chosen : "/tmp", "set TMPDIR to a writable folder");
}

Check check_results_folder() {
  std::error_code error;
  const bool exists = fs::exists(".foretell", error);
  return check_folder("results of runs (.foretell)", exists ? ".foretell" : ".",
                      "run Foretell in a folder you can write to, or name one with -o");
}

std::vector<Check> check_machine() {
  return {
      check_tool("C and C++ compiler ('foretell cc', 'foretell c++')", "clang-19 --version",
                 "clang-19"),
      check_tool("C++ compiler (programs from 'tiddle compile')", "clang++-19 --version",
                 "clang-19"),
      check_part("compiler pass", "foretell_pass.so"),
      check_part("runtime", "libforetell_rt.so"),
      check_tool("symbolizer (programs built with -fsanitize=thread)",
                 "llvm-symbolizer-19 --version", "llvm-19"),
      check_tool("debugger ('replay --gdb')", "gdb --version", "gdb"),
      check_tool("Java compiler ('tiddle compile --lang=java')", "javac -version",
                 "default-jdk-headless"),
      check_temporary_folder(),
      check_results_folder(),
  };
}

std::string front_end(const launch::ProgramFacts& facts) {
  if (facts.built_by_pass && facts.built_for_tsan) {
    return "by 'foretell cc', with parts built with -fsanitize=thread";
  }
  if (facts.built_by_pass) return "by 'foretell cc'";
  if (facts.built_for_tsan) return "with -fsanitize=thread (no values of stores)";
  return "not instrumented";
}

std::vector<Check> check_program(const launch::ProgramFacts& facts) {
  if (!facts.elf) {
    return {
        {"kind", true, "a script: programs it starts are recorded if they are instrumented", ""}};
  }
  std::vector<Check> checks;
  checks.push_back(
      {"dynamically linked", !facts.is_static,
       facts.is_static ? "static: the runtime cannot interpose on the C library" : "yes",
       "link without -static"});
  checks.push_back({"instrumented", facts.built_by_pass || facts.built_for_tsan, front_end(facts),
                    "build it with 'foretell cc' or 'foretell c++' in place of the compiler "
                    "(CC='foretell-clang' CXX='foretell-clang++')"});
  if (facts.built_by_pass && !facts.uninstrumented.empty()) {
    checks.push_back({"instrumented as a whole", false,
                      "not instrumented: " + launch::list_of_files(facts.uninstrumented),
                      "build these files with 'foretell cc' or 'foretell c++', too"});
  }
  const bool tsan = facts.links_libtsan;
  checks.push_back({"linked with the runtime", facts.links_runtime && !tsan,
                    tsan                  ? "no, with ThreadSanitizer's own runtime"
                    : facts.links_runtime ? "libforetell_rt.so"
                                          : "no",
                    "link it with 'foretell cc' or 'foretell c++'"});
  if (facts.links_libgomp) {
    checks.push_back({"OpenMP", false, "libgomp, whose synchronization is not seen",
                      "link it with LLVM's libomp (clang -fopenmp)"});
  }
  checks.push_back({"line tables", facts.has_line_tables, facts.has_line_tables ? "yes" : "none",
                    "compile with -g: reports have no source lines otherwise"});
  return checks;
}

// True if all are fine.
bool put(const std::vector<Check>& checks, std::string& out) {
  bool all = true;
  for (const Check& check : checks) {
    all &= check.ok;
    out += fmt::format("{}  {}: {}\n", check.ok ? "ok     " : "missing", check.what, check.detail);
    if (!check.ok) out += fmt::format("         fix: {}\n", check.fix);
  }
  return all;
}

// What is missing for reports to be good does not keep a program from being recorded.
bool can_be_recorded(const launch::ProgramFacts& facts) {
  if (!facts.elf) return true;
  return !facts.is_static && (facts.built_by_pass || facts.built_for_tsan) && facts.links_runtime &&
         !facts.links_libtsan;
}

Result<ExitCode> run(const std::string& program) {
  std::string out;
  if (program.empty()) {
    const bool all = put(check_machine(), out);
    out += all ? "Everything Foretell needs is installed.\n"
               : "Traces can be analyzed; features that need the missing parts do not work.\n";
    if (auto written = write_text("-", out); !written) return std::unexpected(written.error());
    return ExitCode::clean;
  }
  FORETELL_TRY(path, launch::find_program(program, ""));
  FORETELL_TRY(facts, launch::inspect_program(path));
  const bool all = put(check_program(facts), out);
  out += all ? fmt::format("{} can be recorded.\n", program)
             : fmt::format("{} cannot be recorded properly.\n", program);
  if (auto written = write_text("-", out); !written) return std::unexpected(written.error());
  return can_be_recorded(facts) ? ExitCode::clean : ExitCode::bad_input;
}

}  // namespace

void add_doctor(CLI::App& app, ExitCode& exit_code) {
  auto program = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "doctor", "Check this machine or a program, and say how to fix what is missing");
  command->add_option("PROGRAM", *program, "Check whether this program can be recorded");
  command->footer(
      "Exits with 65 if the program cannot be recorded.\nExample: foretell doctor ./program");
  command->callback([program, &exit_code] {
    auto outcome = run(*program);
    exit_code = outcome ? *outcome : report(outcome.error());
  });
}

}  // namespace foretell::cli
