// SPDX-License-Identifier: Apache-2.0

#include "cli/dump_facts.h"

#include <dlfcn.h>

#include <filesystem>

#include "base/input_file.h"
#include "base/output.h"
#include "bitcode/library.h"
#include "cli/command.h"
#include "program/facts_file.h"
#include "program/print_facts.h"

namespace foretell::cli {
namespace {

namespace fs = std::filesystem;

// Build tree and installed tree have the same shape: bin/foretell, lib/foretell/.
Result<bitcode::FactsOfFile*> load_facts_of_file() {
  std::error_code failed;
  const fs::path root = fs::read_symlink("/proc/self/exe", failed).parent_path().parent_path();
  if (failed) return fail("cannot read /proc/self/exe: {}", failed.message());
  const fs::path path = root / "lib/foretell/foretell_bitcode.so";
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* function = library ? ::dlsym(library, bitcode::kFactsOfFile) : nullptr;
  if (!function)
    return std::unexpected(
        Diagnostic{fmt::format("cannot load LLVM: {}", ::dlerror()), ""}.with_note(
            "build all targets, or install Foretell again"));
  return reinterpret_cast<bitcode::FactsOfFile*>(function);
}

Result<program::Facts> read_facts(const std::string& path, const bitcode::FactOptions& options) {
  FORETELL_TRY(file, InputFile::open(path));
  if (program::is_facts_file(file.bytes()) && !options.externals.empty())
    return usage_error("--externals={} changes nothing: {} holds facts already", options.externals,
                       path);
  if (program::is_facts_file(file.bytes())) return program::decode_facts(file.bytes(), path);
  FORETELL_TRY(facts_of_file, load_facts_of_file());
  Result<program::Facts> facts;
  facts_of_file(path, options, facts);
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
  return write_text(output, program::facts_text(facts, fs::current_path(ignored).string()));
}

}  // namespace foretell::cli
