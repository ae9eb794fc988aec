// SPDX-License-Identifier: Apache-2.0

#include "bitcode/facts_of.h"

#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/xxhash.h>

#include "base/input_file.h"
#include "bitcode/binary.h"
#include "bitcode/externals.h"
#include "bitcode/fact_writer.h"
#include "bitcode/kept_modules.h"
#include "bitcode/surroundings.h"
#include "bitcode/whole_program.h"

namespace foretell::bitcode {
namespace {

program::Subject subject_of(std::string_view bytes, const std::string& path) {
  const llvm::ArrayRef<uint8_t> contents(reinterpret_cast<const uint8_t*>(bytes.data()),
                                         bytes.size());
  return {.path = path, .size = bytes.size(), .hash = llvm::xxh3_64bits(contents)};
}

Result<Externals> externals_of(const FactOptions& options) {
  Externals externals = Externals::common();
  if (options.externals.empty()) return externals;
  FORETELL_TRY(file, InputFile::open(options.externals));
  if (auto done = externals.read(file.bytes(), options.externals); !done)
    return std::unexpected(std::move(done).error());
  return externals;
}

}  // namespace

Result<program::Facts> facts_of_binary(std::string_view bytes, const std::string& path,
                                       const FactOptions& options) {
  FORETELL_TRY(externals, externals_of(options));
  FORETELL_TRY(binary, read_binary(bytes, path));
  if (binary.kept.empty())
    return std::unexpected(
        Diagnostic{"there is no bitcode in this file", path}
            .with_note("compile it with `foretell cc` or `foretell c++`, without -mllvm "
                       "-foretell-keep-bitcode=false")
            .with_note("llvm-strip removes it; strip does not"));
  FORETELL_TRY(kept, read_kept_modules(binary.kept, path));
  FORETELL_TRY(whole, link_modules(kept, path));
  program::Facts facts = write_facts(whole, find_surroundings(binary, whole.symbols), externals);
  facts.subject = subject_of(bytes, path);
  return facts;
}

Result<program::Facts> facts_of_ir(std::string_view bytes, const std::string& path,
                                   const FactOptions& options) {
  FORETELL_TRY(externals, externals_of(options));
  WholeProgram whole;
  whole.context = std::make_unique<llvm::LLVMContext>();
  // The parser of assembly needs a zero behind the text.
  const auto buffer =
      llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(bytes.data(), bytes.size()), path);
  llvm::SMDiagnostic problem;
  whole.module = llvm::parseIR(buffer->getMemBufferRef(), problem, *whole.context);
  if (!whole.module)
    return fail_at(problem.getLineNo() > 0 ? fmt::format("{}:{}", path, problem.getLineNo()) : path,
                   "{}", problem.getMessage().str());
  if (llvm::verifyModule(*whole.module)) return fail_at(path, "the bitcode is not well-formed");
  program::Facts facts = write_facts(whole, {}, externals);
  facts.subject = subject_of(bytes, path);
  return facts;
}

Result<program::Facts> facts_of_file(const std::string& path, const FactOptions& options) {
  FORETELL_TRY(file, InputFile::open(path));
  const bool is_bitcode = file.bytes().starts_with("BC\xc0\xde");
  if (is_bitcode || path.ends_with(".ll")) return facts_of_ir(file.bytes(), path, options);
  return facts_of_binary(file.bytes(), path, options);
}

}  // namespace foretell::bitcode
