// foretell doctor: what is wrong with this machine, and how to mend it.

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "base/output.h"
#include "cli/command.h"

namespace foretell::cli {
namespace {

struct Check {
  std::string what;
  bool ok;
  std::string detail;
  std::string mend;
};

// The first line a command prints, or nothing if it cannot be run.
std::optional<std::string> first_line_of(const std::string& command) {
  std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {};
  char line[256] = "";
  const bool got = std::fgets(line, sizeof line, pipe) != nullptr;
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

Check check_temporary_folder() {
  const char* chosen = std::getenv("TMPDIR");
  const std::string folder = chosen && *chosen ? chosen : "/tmp";
  std::string path = folder + "/foretell-doctor-XXXXXX";
  const int fd = ::mkstemp(path.data());
  if (fd >= 0) {
    ::close(fd);
    ::unlink(path.c_str());
  }
  return {"temporary folder (traces from standard input)", fd >= 0,
          folder + (fd >= 0 ? " is writable" : " is not writable"),
          "set TMPDIR to a writable folder"};
}

ExitCode run() {
  const Check checks[] = {
      check_tool("C++ compiler (programs from 'tiddle compile')", "clang++-19 --version",
                 "clang-19"),
      check_tool("Java compiler ('tiddle compile --lang=java')", "javac -version",
                 "default-jdk-headless"),
      check_temporary_folder(),
  };
  std::string out;
  bool all = true;
  for (const Check& check : checks) {
    all &= check.ok;
    out += fmt::format("{}  {}: {}\n", check.ok ? "ok     " : "missing", check.what, check.detail);
    if (!check.ok) out += fmt::format("         mend: {}\n", check.mend);
  }
  out += all ? "Everything Foretell needs is here.\n"
             : "Analysis of traces works; what needs the missing parts does not.\n";
  return report(write_text("-", out));
}

}  // namespace

void add_doctor(CLI::App& app, ExitCode& exit_code) {
  CLI::App* command =
      app.add_subcommand("doctor", "Check this machine and say how to mend what is missing");
  command->footer("Example: foretell doctor");
  command->callback([&exit_code] { exit_code = run(); });
}

}  // namespace foretell::cli
