// SPDX-License-Identifier: Apache-2.0

#include "bitcode/kept_modules.h"

#include <llvm/Support/Compression.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/xxhash.h>

#include <cstring>

#include "recording/kept_bitcode.h"

namespace foretell::bitcode {
namespace {

using recording::KeptCompression;
using recording::KeptHeader;

// A forged size must not take all memory.
constexpr uint64_t kMaxExpansion = 4096;

llvm::ArrayRef<uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

Result<std::string> unpack(const KeptHeader& header, std::string_view stored,
                           const std::string& where) {
  switch (header.compression) {
    case KeptCompression::none:
      return std::string(stored);
    case KeptCompression::zstd: {
      if (header.size / kMaxExpansion > stored.size())
        return fail_at(where, "the kept bitcode is damaged: it claims an impossible size");
      llvm::SmallVector<uint8_t, 0> whole;
      if (!llvm::compression::zstd::isAvailable())
        return fail_at(where, "this LLVM was built without zstd, which the kept bitcode needs");
      if (auto error = llvm::compression::zstd::decompress(bytes_of(stored), whole, header.size))
        return fail_at(where, "the kept bitcode is damaged: {}", llvm::toString(std::move(error)));
      return std::string(whole.begin(), whole.end());
    }
  }
  return fail_at(where, "the kept bitcode is compressed in a way this Foretell does not know");
}

Result<KeptModule> read_one(const KeptHeader& header, std::string_view stored,
                            const std::string& where) {
  FORETELL_TRY(whole, unpack(header, stored, where));
  const uint64_t row_bytes = uint64_t{header.site_count} * sizeof(recording::SiteRow);
  if (whole.size() != header.size || row_bytes > whole.size() ||
      header.strings_size > whole.size() - row_bytes || header.name >= header.strings_size)
    return fail_at(where, "the kept bitcode is damaged: its parts do not fit");
  KeptModule module{.identity = header.identity, .name = header.name};
  module.rows.resize(header.site_count);
  if (row_bytes > 0) std::memcpy(module.rows.data(), whole.data(), row_bytes);
  module.strings = whole.substr(row_bytes, header.strings_size);
  module.bitcode = whole.substr(row_bytes + header.strings_size);
  if (llvm::xxh3_64bits(bytes_of(
          std::string_view(whole).substr(0, row_bytes + header.strings_size))) != header.identity)
    return fail_at(where, "the kept bitcode is damaged: its site table has another identity");
  return module;
}

}  // namespace

std::string_view KeptModule::text(uint32_t offset) const {
  if (offset >= strings.size()) return "";
  const std::string_view rest = std::string_view(strings).substr(offset);
  return rest.substr(0, rest.find('\0'));
}

Result<std::vector<KeptModule>> read_kept_modules(std::string_view section,
                                                  const std::string& where) {
  std::vector<KeptModule> modules;
  while (!section.empty()) {
    KeptHeader header{};
    if (section.size() < sizeof header)
      return fail_at(where, "the kept bitcode is damaged: it ends within a header");
    std::memcpy(&header, section.data(), sizeof header);
    section.remove_prefix(sizeof header);
    if (std::memcmp(header.magic, recording::kKeptMagic, sizeof header.magic) != 0)
      return fail_at(where, "the kept bitcode is damaged: a header is missing");
    if (header.version != recording::kKeptVersion)
      return std::unexpected(
          Diagnostic{fmt::format("bitcode was kept in version {}; this Foretell reads version {}",
                                 header.version, recording::kKeptVersion),
                     where}
              .with_note("compile the program again"));
    if (header.stored_size > section.size())
      return fail_at(where, "the kept bitcode is damaged: it ends early");
    const std::string_view stored = section.substr(0, header.stored_size);
    section.remove_prefix(header.stored_size);
    if (llvm::xxh3_64bits(bytes_of(stored)) != header.checksum)
      return fail_at(where, "the kept bitcode is damaged: a checksum is wrong");
    FORETELL_TRY(module, read_one(header, stored, where));
    modules.push_back(std::move(module));
  }
  return modules;
}

}  // namespace foretell::bitcode
