// Compiles .tiddle files to programs, for tests/tiddle_programs/run.
//
//   tiddle_compile_tool [--java] [--free] [--noise=yield|sleep] [--functions] [--log] [--name=N]
//                       FILE... > PROGRAM
//   tiddle_compile_tool --print FILE...
//   tiddle_compile_tool --random=SEED > FILE
// Several files become one program. --print shows what its log must be.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "base/input_file.h"
#include "tiddle/compile.h"
#include "tiddle/random.h"
#include "trace/tiddle/tiddle_reader.h"

using namespace foretell;

namespace {

// Traces of every kind that random traces can have without becoming impossible to force; from seed
// 16 on only of kinds that Java has too.
Result<trace::Trace> random_of_many_kinds(uint64_t seed) {
  tiddle::RandomOptions options{
      .seed = seed,
      .threads = 2 + static_cast<uint32_t>(seed % 4),
      .events = 60,
      .variables = 3,
      .locks = 2,
      .fork_join = seed % 2 == 0,
      .kinds = {"rd", "wr", "acq", "sacq", "beg", "start", "ard", "awr", "rmw", "fence", "req",
                "tryfail", "stryfail", "enter", "post", "down", "call", "branch", "user"}};
  if (seed < 16) {
    for (const char* kind : {"wait", "notifyall", "alloc"}) options.kinds.emplace_back(kind);
  }
  return tiddle::random_trace(options);
}

}  // namespace

int main(int argc, char** argv) {
  tiddle::CompileOptions options;
  bool print = false;
  std::vector<trace::Trace> traces;
  auto report = [](const Diagnostic& diagnostic) {
    fmt::print(stderr, "{}", diagnostic.to_text());
    return static_cast<int>(diagnostic.exit_code);
  };
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--java") {
      options.language = tiddle::TargetLanguage::java;
    } else if (argument == "--free") {
      options.lockstep = false;
    } else if (argument == "--noise=yield") {
      options.noise = tiddle::Noise::yield;
    } else if (argument == "--noise=sleep") {
      options.noise = tiddle::Noise::sleep;
    } else if (argument == "--functions") {
      options.blocks_as_functions = true;
    } else if (argument == "--log") {
      options.log_operations = true;
    } else if (argument == "--print") {
      print = true;
    } else if (argument.starts_with("--random=")) {
      auto trace = random_of_many_kinds(std::stoull(argument.substr(9)));
      if (!trace) return report(trace.error());
      traces.push_back(std::move(*trace));
      print = true;
    } else if (argument.starts_with("--name=")) {
      options.name = argument.substr(7);
    } else {
      auto file = InputFile::open(argument);
      if (!file) return report(file.error());
      auto trace = trace::parse_tiddle(file->bytes(), argument);
      if (!trace) return report(trace.error());
      traces.push_back(std::move(*trace));
    }
  }
  if (print) {
    for (const trace::Trace& trace : traces) fmt::print("{}", print_tiddle(trace));
    return 0;
  }
  std::vector<tiddle::TraceView> views;
  for (const trace::Trace& trace : traces) views.push_back({trace.tables, trace.events});
  auto program = tiddle::compile_tiddle(views, options);
  if (!program) return report(program.error());
  fmt::print("{}", *program);
  return 0;
}
