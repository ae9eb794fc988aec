// SPDX-License-Identifier: Apache-2.0

// foretell tiddle: text traces. Check, print, compile to a program, enumerate, generate.

#include "base/output.h"
#include "base/split.h"
#include "cli/command.h"
#include "tiddle/compile.h"
#include "tiddle/equivalents.h"
#include "tiddle/random.h"
#include "trace/stream.h"
#include "trace/text_values.h"
#include "trace/tiddle/tiddle_reader.h"

namespace foretell::cli {
namespace {

using namespace foretell::tiddle;

// The raw trace behind TRACE, seen to be well-formed, as its text can say it.
Result<trace::Trace> load_checked(const TraceInput& input) {
  FORETELL_TRY(reader, input.open());
  FORETELL_TRY(stream, trace::TraceStream::open(std::move(reader)));
  for (;;) {
    auto batch = stream.next();
    if (!batch) return std::unexpected(std::move(batch).error());
    if (batch->empty()) break;
  }
  FORETELL_TRY(trace, read_all(*std::move(stream).take_reader()));
  make_printable(trace);
  return trace;
}

void add_check_of_tiddle(CLI::App& tiddle, ExitCode& exit_code) {
  auto input = std::make_shared<TraceInput>();
  CLI::App* command = tiddle.add_subcommand("check", "Check that a trace is a well-formed run");
  input->add_to(*command);
  command->footer("Example: foretell tiddle check examples/bank.tiddle");
  command->callback([input, &exit_code] {
    auto trace = load_checked(*input);
    if (!trace) {
      exit_code = report(trace.error());
      return;
    }
    exit_code = report(write_text(
        "-", fmt::format("{}: well-formed, {} events, {} threads, {} locks, {} locations\n",
                         input->path, trace->events.size(), trace->tables.threads.size(),
                         trace->tables.locks.size(), trace->tables.locations.size())));
  });
}

void add_print(CLI::App& tiddle, ExitCode& exit_code) {
  auto input = std::make_shared<TraceInput>();
  CLI::App* command = tiddle.add_subcommand("print", "Print a trace of any format as Tiddle text");
  input->add_to(*command);
  command->footer("Example: foretell tiddle print examples/bank.tiddle");
  command->callback([input, &exit_code] {
    auto trace = load_checked(*input);
    exit_code = trace ? report(write_text("-", print_tiddle(*trace))) : report(trace.error());
  });
}

// The options that `compile` and `equivalents --compile` share.
struct CompileArguments {
  std::string language = "c++";
  std::string noise = "none";
  std::string output = "-";
  bool free = false;
  CompileOptions options;

  void add_to(CLI::App& command) {
    command.add_option("--lang", language, "Language of the program: c++ or java")
        ->check(CLI::IsMember({"c++", "java"}));
    command.add_option("--name", options.name, "Name of the program; in Java the class");
    command.add_flag("--free", free, "No lockstep: a small nondeterministic program");
    command
        .add_option("--noise", noise, "Before each operation, with --free: none, sleep or yield")
        ->check(CLI::IsMember({"none", "sleep", "yield"}));
    command.add_flag("--blocks-as-functions", options.blocks_as_functions,
                     "Atomic blocks become functions");
    command.add_flag("--log", options.log_operations,
                     "Each operation prints its line when it runs");
    command.add_option("-o,--output", output, "File to write; - is standard output");
  }

  Result<CompileOptions> finished() const {
    CompileOptions done = options;
    done.language = language == "java" ? TargetLanguage::java : TargetLanguage::cxx;
    done.lockstep = !free;
    done.noise = noise == "sleep" ? Noise::sleep : noise == "yield" ? Noise::yield : Noise::none;
    if (done.noise != Noise::none && !free) return usage_error("--noise needs --free");
    return done;
  }
};

struct CompileCommand {
  TraceInput input;
  CompileArguments arguments;

  Result<void> run() const {
    FORETELL_TRY(options, arguments.finished());
    FORETELL_TRY(trace, load_checked(input));
    FORETELL_TRY(program, compile_tiddle(trace, options));
    return write_text(arguments.output, program);
  }
};

void add_compile(CLI::App& tiddle, ExitCode& exit_code) {
  auto state = std::make_shared<CompileCommand>();
  CLI::App* command = tiddle.add_subcommand(
      "compile", "Write a program that performs exactly the operations of a trace, in order");
  state->input.add_to(*command);
  state->arguments.add_to(*command);
  command->footer(
      "Example: foretell tiddle compile examples/bank.tiddle -o bank.cc &&\n"
      "         clang++-19 -std=c++20 -pthread bank.cc -o bank && ./bank");
  command->callback([state, &exit_code] { exit_code = report(state->run()); });
}

struct EquivalentsCommand {
  TraceInput input;
  CompileArguments arguments;
  uint64_t limit = 1000;
  bool count_only = false;
  bool compile = false;

  Result<void> run() const {
    FORETELL_TRY(options, arguments.finished());
    FORETELL_TRY(trace, load_checked(input));
    const TraceView view{trace.tables, trace.events};
    if (count_only) return print_count(view);
    return compile ? compile_all(view, options) : print_all(view);
  }

  Result<void> print_count(const TraceView& view) const {
    FORETELL_TRY(counted, count_equivalents(view, UINT64_MAX));
    switch (counted.outcome) {
      case CountOutcome::exact:
        return write_text("-", fmt::format("{}\n", counted.count));
      case CountOutcome::more_than:
        return write_text("-", fmt::format("more than {}\n", counted.count));
      case CountOutcome::gave_up:
        return write_text("-",
                          fmt::format("at least {} (too many states to count)\n", counted.count));
    }
    return {};
  }

  Result<void> print_all(const TraceView& view) const {
    FORETELL_TRY(out, Output::open(arguments.output));
    Result<void> written;
    uint64_t number = 0;
    auto sink = [&](std::span<const trace::Event> events) {
      std::string text = fmt::format("{}# {}\n", number > 0 ? "\n" : "", number + 1);
      ++number;
      for (const trace::Event& e : events) print_tiddle_event(e, view.tables, text);
      written = out.write(text);
      return written.has_value();
    };
    FORETELL_TRY(found, enumerate_equivalents(view, limit, sink));
    if (!written) return written;
    warn_if_cut(view, found);
    return out.close();
  }

  Result<void> compile_all(const TraceView& view, const CompileOptions& options) const {
    std::vector<std::vector<trace::Event>> traces;
    FORETELL_TRY(found,
                 enumerate_equivalents(view, limit, [&](std::span<const trace::Event> events) {
                   traces.emplace_back(events.begin(), events.end());
                   return true;
                 }));
    std::vector<TraceView> views;
    views.reserve(traces.size());
    for (const auto& events : traces) views.push_back({view.tables, events});
    FORETELL_TRY(program, compile_tiddle(views, options));
    warn_if_cut(view, found);
    return write_text(arguments.output, program);
  }

  void warn_if_cut(const TraceView& view, uint64_t found) const {
    if (found < limit) return;
    auto counted = count_equivalents(view, limit);
    if (counted && counted->outcome == CountOutcome::exact) return;
    std::fputs(
        fmt::format("warning: stopped after {} equivalent traces (--limit)\n", found).c_str(),
        stderr);
  }
};

void add_equivalents(CLI::App& tiddle, ExitCode& exit_code) {
  auto state = std::make_shared<EquivalentsCommand>();
  CLI::App* command = tiddle.add_subcommand(
      "equivalents", "Enumerate all traces with the same happens-before relation");
  state->input.add_to(*command);
  command->add_flag("--count", state->count_only, "Only count them");
  command->add_option("--limit", state->limit, "Stop after N traces");
  command->add_flag("--compile", state->compile, "Compile them into one program");
  state->arguments.add_to(*command);
  command->footer("Example: foretell tiddle equivalents examples/bank.tiddle --count");
  command->callback([state, &exit_code] { exit_code = report(state->run()); });
}

struct RandomCommand {
  RandomOptions options;
  std::string kinds;
  bool no_values = false;
  std::string output = "-";

  Result<void> run() const {
    RandomOptions chosen = options;
    chosen.values = !no_values;
    if (kinds == "all") {
      chosen.kinds.clear();
      for (uint8_t i = 0; i < trace::kEventKindCount; ++i)
        chosen.kinds.emplace_back(word_of(trace::EventKind{i}));
    } else if (!kinds.empty()) {
      chosen.kinds.clear();
      for (std::string_view kind : split(kinds, ',')) chosen.kinds.emplace_back(kind);
    }
    auto trace = random_trace(chosen);
    if (!trace) {
      trace.error().exit_code = ExitCode::usage;
      return std::unexpected(std::move(trace).error());
    }
    return write_text(output, print_tiddle(*trace));
  }
};

void add_random(CLI::App& tiddle, ExitCode& exit_code) {
  auto state = std::make_shared<RandomCommand>();
  RandomOptions& options = state->options;
  CLI::App* command = tiddle.add_subcommand("random", "Generate a random well-formed trace");
  command->add_option("--seed", options.seed, "The same seed gives the same trace");
  command->add_option("--events", options.events, "Number of events");
  command->add_option("--threads", options.threads, "Number of threads");
  command->add_option("--variables", options.variables, "Number of variables");
  command->add_option("--locks", options.locks, "Number of locks");
  command->add_option("--nesting", options.nesting, "Number of locks a thread may hold at once");
  command->add_option("--kinds", state->kinds,
                      "Event kinds, separated by commas, or all ('foretell list events')");
  command->add_flag("--fork-join", options.fork_join, "Thread 1 forks and joins the others");
  command->add_flag("--no-values", state->no_values, "Omit the values of accesses");
  command->add_option("-o,--output", state->output, "File to write; - is standard output");
  command->footer("Example: foretell tiddle random --seed=7 --threads=3 --events=20");
  command->callback([state, &exit_code] { exit_code = report(state->run()); });
}

}  // namespace

void add_tiddle(CLI::App& app, ExitCode& exit_code) {
  CLI::App* tiddle = app.add_subcommand("tiddle", "Work with text traces");
  tiddle->require_subcommand(1);
  tiddle->footer("Example: foretell tiddle check examples/bank.tiddle");
  add_check_of_tiddle(*tiddle, exit_code);
  add_print(*tiddle, exit_code);
  add_compile(*tiddle, exit_code);
  add_equivalents(*tiddle, exit_code);
  add_random(*tiddle, exit_code);
}

}  // namespace foretell::cli
