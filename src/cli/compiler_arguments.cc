// SPDX-License-Identifier: Apache-2.0

#include "cli/compiler_arguments.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

namespace foretell::cli {
namespace {

// Options whose value is the next argument, so that the value is not taken for an input.
constexpr std::string_view kWithValue[] = {
    "-o",           "-x",
    "-I",           "-D",
    "-U",           "-L",
    "-B",           "-F",
    "-T",           "-u",
    "-z",           "-e",
    "-A",           "-G",
    "-V",           "-b",
    "-include",     "-imacros",
    "-isystem",     "-iquote",
    "-idirafter",   "-iprefix",
    "-iwithprefix", "-iwithprefixbefore",
    "-isysroot",    "-cxx-isystem",
    "-c-isystem",   "-include-pch",
    "-ivfsoverlay", "-MF",
    "-MT",          "-MQ",
    "-MJ",          "-Xclang",
    "-Xassembler",  "-Xpreprocessor",
    "-Xanalyzer",   "-mllvm",
    "-target",      "-arch",
    "-rpath",       "-soname",
    "--param",      "--sysroot",
    "--include",    "--config",
    "-wrapper",     "-aux-info",
    "-dumpdir",     "-serialize-diagnostics",
};

constexpr std::string_view kStopsEarly[] = {
    "-c",
    "-S",
    "-E",
    "-M",
    "-MM",
    "-fsyntax-only",
    "--analyze",
    "-emit-ast",
    "--precompile",
    "--version",
    "--help",
    "-help",
    "--help-hidden",
    "-dumpversion",
    "-dumpmachine",
    "-dumpfullversion",
    "-cc1",
    "-cc1as",
    "--compile",
    "--assemble",
    "--preprocess",
    "--syntax-only",
    "-verify-pch",
};

bool is_one_of(std::string_view argument, std::span<const std::string_view> list) {
  return std::ranges::find(list, argument) != list.end();
}

bool sanitizes_threads(std::string_view argument) {
  constexpr std::string_view kPrefix = "-fsanitize=";
  if (!argument.starts_with(kPrefix)) return false;
  const std::string names = "," + std::string(argument.substr(kPrefix.size())) + ",";
  return names.find(",thread,") != std::string::npos;
}

void read_into(CompilerRequest& request, std::span<const std::string> arguments, int depth) {
  for (size_t i = 0; i < arguments.size(); i++) {
    const std::string_view argument = arguments[i];
    if (argument.starts_with('@') && argument.size() > 1 && depth < 10) {
      if (std::ifstream file{std::string(argument.substr(1))}) {
        std::ostringstream text;
        text << file.rdbuf();
        read_into(request, split_response_file(text.str()), depth + 1);
        continue;
      }
    }
    if (is_one_of(argument, kWithValue)) {
      i++;
    } else if (!argument.starts_with('-') || argument == "-") {
      request.has_input = true;
    } else if (argument == "-Xlinker") {
      request.has_input = true;
      i++;
    } else if (argument == "-l" && i + 1 < arguments.size()) {
      request.has_input = true;
      i++;
    } else if (argument.starts_with("-l") || argument.starts_with("-Wl,")) {
      request.has_input = true;
      if (argument == "-Wl,-r" || argument == "-Wl,--relocatable") request.relocatable = true;
    } else if (is_one_of(argument, kStopsEarly) || argument.starts_with("-print-") ||
               argument.starts_with("--print-")) {
      request.stops_early = true;
    } else if (argument == "-r" || argument == "--relocatable") {
      request.relocatable = true;
    } else if (argument == "-static" || argument == "--static" || argument == "-static-pie") {
      request.static_option = argument;
    } else if (sanitizes_threads(argument)) {
      request.other_instrumentation = argument;
    } else if (argument.starts_with("-fno-sanitize=")) {
      request.other_instrumentation.clear();
    }
  }
}

}  // namespace

std::vector<std::string> split_response_file(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); i++) {
    const char c = text[i];
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      word += text[++i];
      in_word = true;
    } else if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      if (in_word) words.push_back(std::exchange(word, ""));
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(word);
  return words;
}

CompilerRequest read_compiler_arguments(std::span<const std::string> arguments) {
  CompilerRequest request;
  read_into(request, arguments, 0);
  return request;
}

}  // namespace foretell::cli
