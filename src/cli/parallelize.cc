// SPDX-License-Identifier: Apache-2.0

// foretell parallelize FILE...: which loops of a sequential program can run in parallel, and what
// keeps the others from it; --diff writes the change.

#include "cli/parallelize.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/input_file.h"
#include "base/output.h"
#include "cli/bitcode_library.h"
#include "cli/check_sources.h"
#include "cli/check_text.h"
#include "static_analysis/library.h"

namespace foretell::cli {
namespace {

using static_analysis::LoopAdvice;

std::string pragma_of(const LoopAdvice& loop) {
  std::string text = "#pragma omp parallel for";
  if (!loop.privates.empty()) text += fmt::format(" private({})", fmt::join(loop.privates, ", "));
  for (const auto& [operation, variable] : loop.reductions)
    text += fmt::format(" reduction({}:{})", operation, variable);
  return text;
}

std::string verdict_of(const LoopAdvice& loop) {
  if (!loop.is_parallel) return "not parallelizable";
  std::string text = "parallelizable";
  if (!loop.privates.empty())
    text += fmt::format(", with private copies of '{}'", fmt::join(loop.privates, "', '"));
  for (const auto& [operation, variable] : loop.reductions)
    text += fmt::format(", with '{}' as reduction ({})", variable, operation);
  return text;
}

struct ParallelizeCommand {
  std::vector<std::string> files;
  static_analysis::ParallelizeOptions options;
  bool diff = false;

  Result<ExitCode> run() const;

 private:
  std::string text_of(const std::vector<LoopAdvice>& loops) const;
  Result<std::string> diff_of(const std::vector<LoopAdvice>& loops) const;
};

std::string ParallelizeCommand::text_of(const std::vector<LoopAdvice>& loops) const {
  std::string text;
  size_t parallel = 0;
  for (const LoopAdvice& loop : loops) {
    text += fmt::format("{}: loop in '{}': {}", place_text(loop.place), loop.function,
                        verdict_of(loop));
    if (loop.is_parallel) {
      parallel++;
      text += loop.is_inside_parallel ? "; the loop around it is, too"
              : !loop.is_worth_it
                  ? "; too little work to gain by it"
                  : fmt::format("; {:.0f} % of the work, {:.1f} times as fast with {} threads",
                                100 * std::min(loop.share, 1.0), loop.speed_up, options.threads);
    }
    text += "\n";
    for (const static_analysis::Obstacle& one : loop.obstacles)
      text += fmt::format("{}: note: {}\n", place_text(one.place), one.why);
  }
  text += fmt::format("{} of {} loops can run in parallel\n", parallel, loops.size());
  return text;
}

// A line is added before the `for` of each outermost loop that can run in parallel.
Result<std::string> ParallelizeCommand::diff_of(const std::vector<LoopAdvice>& loops) const {
  std::string text;
  for (const std::string& file : files) {
    std::vector<const LoopAdvice*> chosen;
    for (const LoopAdvice& loop : loops)
      if (loop.is_parallel && !loop.is_inside_parallel && loop.is_worth_it &&
          loop.place.file == file)
        chosen.push_back(&loop);
    if (chosen.empty()) continue;
    std::ranges::sort(chosen, {}, [](const LoopAdvice* one) { return one->place.line; });
    FORETELL_TRY(opened, InputFile::open(file));
    const std::string source(opened.bytes());
    std::vector<std::string> lines;
    for (size_t at = 0; at < source.size();) {
      const size_t end = std::min(source.find('\n', at), source.size());
      lines.push_back(source.substr(at, end - at));
      at = end + 1;
    }
    std::string hunks;
    size_t added = 0;
    for (const LoopAdvice* loop : chosen) {
      const size_t line = loop->place.line;
      if (line == 0 || line > lines.size()) continue;
      const std::string& code = lines[line - 1];
      const size_t indent = code.find_first_not_of(" \t");
      if (indent == std::string::npos || !code.substr(indent).starts_with("for")) continue;
      hunks += fmt::format("@@ -{},1 +{},2 @@\n+{}{}\n {}\n", line, line + added,
                           code.substr(0, indent), pragma_of(*loop), code);
      added++;
    }
    if (!hunks.empty()) text += fmt::format("--- {}\n+++ {}\n{}", file, file, hunks);
  }
  return text;
}

Result<ExitCode> ParallelizeCommand::run() const {
  std::vector<std::string> flags = program_words();
  flags.push_back("-g");
  FORETELL_TRY(bitcode, bitcode_of(files, flags));
  FORETELL_TRY(function, bitcode_function(static_analysis::kParallelize));
  Result<static_analysis::ParallelizeResult> result;
  reinterpret_cast<static_analysis::Parallelize*>(function)(bitcode, options, result);
  if (!result) return std::unexpected(std::move(result).error());
  std::string text = text_of(result->loops);
  if (diff) {
    FORETELL_TRY(made, diff_of(result->loops));
    text = std::move(made);
  }
  if (auto written = write_text("-", text); !written)
    return std::unexpected(std::move(written).error());
  return ExitCode::clean;
}

}  // namespace

void add_parallelize(CLI::App& app, ExitCode& exit_code) {
  auto command = std::make_shared<ParallelizeCommand>();
  CLI::App* parallelize = app.add_subcommand(
      "parallelize", "Says which loops of a sequential program can run in parallel, and why not");
  parallelize->footer("Example: foretell parallelize --diff prog.c | patch -p0");
  parallelize->add_option("FILE", command->files, "Sources of a program without threads")
      ->required();
  parallelize->add_flag("--diff", command->diff,
                        "Writes OpenMP pragmas as a unified diff instead of the advice");
  parallelize->add_option("--entry", command->options.entry, "The function the program begins with")
      ->default_str("main");
  parallelize->add_option("--cores", command->options.threads, "For the speed-up to expect")
      ->check(CLI::Range(1, 1024))
      ->default_val(8);
  parallelize->callback([command, &exit_code] {
    auto result = command->run();
    exit_code = result ? *result : report(result.error());
  });
}

}  // namespace foretell::cli
