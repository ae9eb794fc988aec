// SPDX-License-Identifier: Apache-2.0

// foretell cc, foretell c++: clang with the pass and the runtime, in place of any compiler.
//
// Everything the user gives is handed on unread and unchanged; only what must be known is looked
// at: whether this command links, and whether it asks for something that cannot work. Ours goes
// first: later options win, so the user's -g0 does, and the runtime precedes every library of the
// user, so that its functions are found before theirs. clang takes this process's place, so its
// exit status and signals are its own.

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/compiler_arguments.h"
#include "cli/installation.h"
#include "property_language/property.h"

namespace foretell::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUsage =
    "usage: foretell {0} [COMPILER OPTION]... FILE...\n"
    "Compiles and links like {1}, recording what Foretell needs.\n"
    "Example: foretell {0} -O2 -pthread prog.c -o prog && foretell run -- ./prog\n";

struct Language {
  const char* command;
  const char* by_name;
  const char* driver_mode;
};
constexpr Language kLanguages[] = {{"cc", "foretell-clang", "--driver-mode=gcc"},
                                   {"c++", "foretell-clang++", "--driver-mode=g++"}};

// What the pass must know of the properties in a file: the functions they name, and whether they see
// every read.
Result<std::vector<std::string>> options_for(const std::string& file) {
  FORETELL_TRY(specification, property_language::read(file));
  std::string events;
  bool reads = false;
  for (const auto& property : specification.properties) {
    for (const auto& event : property.events) {
      using property_language::Source;
      reads = reads || event.source == Source::read;
      if (event.source != Source::call && event.source != Source::ret) continue;
      events +=
          fmt::format("{}{} {}", events.empty() ? "" : ";", word_of(event.source), event.object);
    }
  }
  std::vector<std::string> options;
  if (!events.empty()) options = {"-mllvm", "-foretell-events=" + events};
  if (reads) options.insert(options.end(), {"-mllvm", "-foretell-keep-repeats"});
  return options;
}

// --property=FILE is ours; takes it out of the arguments.
Result<std::vector<std::string>> take_properties(std::vector<std::string>& arguments) {
  constexpr std::string_view kOption = "--property=";
  std::vector<std::string> options;
  for (const std::string& argument : arguments) {
    if (!argument.starts_with(kOption)) continue;
    FORETELL_TRY(more, options_for(argument.substr(kOption.size())));
    if (!options.empty() && !more.empty()) {
      return usage_error("--property can be given once: put all properties into one file");
    }
    options.insert(options.end(), more.begin(), more.end());
  }
  std::erase_if(arguments, [&](const std::string& a) { return a.starts_with(kOption); });
  return options;
}

Result<std::vector<std::string>> command_line(const Language& language,
                                              std::vector<std::string> arguments) {
  FORETELL_TRY(properties, take_properties(arguments));
  const CompilerRequest request = read_compiler_arguments(arguments);
  if (request.links() && !request.static_option.empty())
    return usage_error(
        "{}: programs that Foretell records cannot be linked statically: the runtime "
        "interposes on a shared C library",
        request.static_option);
  if (!request.other_instrumentation.empty())
    return usage_error(
        "{0}: a program is instrumented by Foretell or by ThreadSanitizer, not both; "
        "leave out {0}",
        request.other_instrumentation);

  FORETELL_TRY(root, installation_root());
  FORETELL_TRY(clang, find_clang());
  FORETELL_TRY(pass, installed_part("lib/foretell/foretell_pass.so"));
  // -fplugin loads it early enough for -mllvm -foretell-... to be known.
  std::vector<std::string> line = {clang, language.driver_mode, "--start-no-unused-arguments",
                                   "-fplugin=" + pass, "-fpass-plugin=" + pass, "-g",
                                   "-fstandalone-debug",  // members of classes made elsewhere
                                   // locals stay on the stack, which is its thread's own
                                   "-fsanitize-address-use-after-return=never", "-idirafter",
                                   root + "/include"};
  if (request.links()) {
    FORETELL_TRY(runtime, installed_part("lib/foretell/libforetell_rt.so"));
    line.insert(line.end(), {"-Wl,--push-state,--no-as-needed", runtime, "-Wl,--pop-state",
                             "-Xlinker", "-rpath", "-Xlinker", root + "/lib/foretell"});
  }
  line.insert(line.end(), properties.begin(), properties.end());
  line.push_back("--end-no-unused-arguments");
  line.insert(line.end(), arguments.begin(), arguments.end());
  return line;
}

ExitCode run(const Language& language, const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    fmt::print(stderr, fmt::runtime(kUsage), language.command,
               language.command == std::string_view("cc") ? "clang" : "clang++");
    return ExitCode::usage;
  }
  auto line = command_line(language, arguments);
  if (!line) return report(line.error());
  std::vector<char*> words;
  for (std::string& word : *line) words.push_back(word.data());
  words.push_back(nullptr);
  ::execv(words[0], words.data());
  return report(
      Diagnostic{fmt::format("cannot run {}: {}", words[0], std::strerror(errno)), ""}.with_note(
          "set FORETELL_CLANG to the path of clang 19"));
}

}  // namespace

std::optional<ExitCode> compile_instead(int argc, char** argv) {
  const std::string name = argc > 0 ? fs::path(argv[0]).filename().string() : "";
  for (const Language& language : kLanguages) {
    const bool by_name = name == language.by_name;
    if (!by_name && !(argc > 1 && argv[1] == std::string_view(language.command))) continue;
    return run(language, std::vector<std::string>(argv + (by_name ? 1 : 2), argv + argc));
  }
  return {};
}

void add_compile(CLI::App& app) {
  // Only for the list of commands: compile_instead() has taken real ones.
  app.add_subcommand("cc", "Compile and link C for recording; takes clang's options");
  app.add_subcommand("c++", "Compile and link C++ for recording; takes clang's options");
}

}  // namespace foretell::cli
