// SPDX-License-Identifier: Apache-2.0

#include "cli/dump_facts.h"

#include <filesystem>

#include "base/input_file.h"
#include "base/output.h"
#include "bitcode/library.h"
#include "cli/bitcode_library.h"
#include "cli/command.h"
#include "program/facts_file.h"
#include "program/print_facts.h"

namespace foretell::cli {
namespace {

Result<program::Facts> read_facts(const std::string& path, const bitcode::FactOptions& options) {
  FORETELL_TRY(file, InputFile::open(path));
  if (program::is_facts_file(file.bytes()) && !options.externals.empty())
    return usage_error("--externals={} changes nothing: {} holds facts already", options.externals,
                       path);
  if (program::is_facts_file(file.bytes())) return program::decode_facts(file.bytes(), path);
  FORETELL_TRY(function, bitcode_function(bitcode::kFactsOfFile));
  Result<program::Facts> facts;
  reinterpret_cast<bitcode::FactsOfFile*>(function)(path, options, facts);
  return facts;
}

}  // namespace

Result<void> dump_facts(const std::string& path, const std::string& to, const std::string& output,
                        const bitcode::FactOptions& options) {
  if (to == "tiddle" || to == "std" || to == "ftrace")
    return usage_error("--to={} is a format of traces; facts are written as text, json or facts",
                       to);
  if (to == "facts" && output == "-")
    return usage_error("--to=facts writes a binary file: name it with -o FILE");
  FORETELL_TRY(facts, read_facts(path, options));
  if (to == "facts") return write_text(output, program::encode_facts(facts));
  if (to == "json") return write_text(output, program::facts_json(facts));
  std::error_code ignored;
  return write_text(output,
                    program::facts_text(facts, std::filesystem::current_path(ignored).string()));
}

}  // namespace foretell::cli
