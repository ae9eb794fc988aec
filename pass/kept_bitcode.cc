// SPDX-License-Identifier: Apache-2.0

#include "kept_bitcode.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Metadata.h>
#include <llvm/Support/Compression.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/xxhash.h>
#include <llvm/TargetParser/Triple.h>

#include <cstring>
#include <string>

#include "recording/kept_bitcode.h"

namespace foretell::pass {

using recording::KeptCompression;
using recording::KeptHeader;
using recording::SiteRole;

namespace {

SiteRole role_of(Hook hook) {
  switch (hook) {
    case Hook::access:
    case Hook::filtered:
    case Hook::range:
    case Hook::masked:
    case Hook::atomic:
    case Hook::assembly:
      return SiteRole::access;
    case Hook::copy_from:
      return SiteRole::copy_source;
    case Hook::copy_to:
      return SiteRole::copy_target;
    case Hook::fence:
      return SiteRole::fence;
    case Hook::call:
      return SiteRole::call;
    case Hook::branch:
      return SiteRole::branch;
  }
  llvm_unreachable("unknown hook");
}

// The numbers of sites and globals as metadata, for as long as it lives.
class Numbers {
 public:
  Numbers(llvm::Module& module, llvm::ArrayRef<PlannedFunction> functions, const SiteTable& table)
      : module_(module), functions_(functions), table_(table) {
    for (const PlannedFunction& planned : functions_) {
      const auto& hooked = planned.selection.hooked;
      llvm::SmallVector<uint32_t, 4> numbers;
      for (size_t i = 0; i < hooked.size(); i++) {
        numbers.push_back(static_cast<uint32_t>(role_of(hooked[i].hook)));
        numbers.push_back(planned.sites.of_hooks[i]);
        if (i + 1 < hooked.size() && hooked[i + 1].instruction == hooked[i].instruction) continue;
        hooked[i].instruction->setMetadata(recording::kSiteMetadata, node(numbers));
        numbers.clear();
      }
      if (planned.sites.of_function)
        planned.function->setMetadata(
            recording::kSiteMetadata,
            node({static_cast<uint32_t>(SiteRole::function), *planned.sites.of_function}));
    }
    uint32_t index = 0;
    for (llvm::GlobalVariable* global : table_.globals())
      global->setMetadata(recording::kGlobalMetadata, node({index++}));
  }
  ~Numbers() {
    for (const PlannedFunction& planned : functions_) {
      for (const Hooked& hooked : planned.selection.hooked)
        hooked.instruction->setMetadata(recording::kSiteMetadata, nullptr);
      planned.function->setMetadata(recording::kSiteMetadata, nullptr);
    }
    for (llvm::GlobalVariable* global : table_.globals())
      global->setMetadata(recording::kGlobalMetadata, nullptr);
  }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;

 private:
  llvm::MDNode* node(llvm::ArrayRef<uint32_t> numbers) const {
    llvm::LLVMContext& context = module_.getContext();
    auto* word = llvm::Type::getInt32Ty(context);
    llvm::SmallVector<llvm::Metadata*, 4> operands;
    for (uint32_t number : numbers)
      operands.push_back(llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(word, number)));
    return llvm::MDNode::get(context, operands);
  }

  llvm::Module& module_;
  llvm::ArrayRef<PlannedFunction> functions_;
  const SiteTable& table_;
};

void append(llvm::SmallVectorImpl<char>& bytes, const void* from, size_t size) {
  const char* first = static_cast<const char*>(from);
  bytes.append(first, first + size);
}

// .ascii directives for the bytes.
void print_ascii(llvm::raw_ostream& out, llvm::ArrayRef<uint8_t> bytes) {
  constexpr size_t kLine = 256;
  for (size_t i = 0; i < bytes.size(); i++) {
    if (i % kLine == 0) out << (i == 0 ? ".ascii \"" : "\"\n.ascii \"");
    const uint8_t byte = bytes[i];
    if (byte >= ' ' && byte < 0x7f && byte != '"' && byte != '\\') {
      out << static_cast<char>(byte);
    } else {
      // Three digits always: the next byte may be a digit itself.
      out << '\\' << static_cast<char>('0' + (byte >> 6))
          << static_cast<char>('0' + (byte >> 3 & 7)) << static_cast<char>('0' + (byte & 7));
    }
  }
  if (!bytes.empty()) out << "\"\n";
}

llvm::ArrayRef<uint8_t> bytes_of(const void* first, size_t size) {
  return {static_cast<const uint8_t*>(first), size};
}

}  // namespace

void keep_bitcode(llvm::Module& module, llvm::ArrayRef<PlannedFunction> functions,
                  SiteTable& table) {
  if (!llvm::Triple(module.getTargetTriple()).isOSBinFormatELF()) return;
  KeptHeader header{.version = recording::kKeptVersion};
  std::memcpy(header.magic, recording::kKeptMagic, sizeof header.magic);
  header.name = table.module_name();
  const std::vector<uint32_t> rows = table.flat_rows();
  const llvm::StringRef strings = table.strings();
  header.site_count =
      static_cast<uint32_t>(rows.size() * sizeof rows[0] / sizeof(recording::SiteRow));
  header.strings_size = strings.size();

  llvm::SmallVector<char, 0> whole;
  append(whole, rows.data(), rows.size() * sizeof rows[0]);
  append(whole, strings.data(), strings.size());
  header.identity = llvm::xxh3_64bits(bytes_of(whole.data(), whole.size()));
  {
    const Numbers numbers(module, functions, table);
    // The writer aligns its words to the beginning of what it writes into.
    llvm::SmallVector<char, 0> bitcode;
    llvm::raw_svector_ostream out(bitcode);
    llvm::WriteBitcodeToFile(module, out);
    append(whole, bitcode.data(), bitcode.size());
  }
  header.size = whole.size();

  llvm::SmallVector<uint8_t, 0> stored;
  if (llvm::compression::zstd::isAvailable()) {
    header.compression = KeptCompression::zstd;
    llvm::compression::zstd::compress(bytes_of(whole.data(), whole.size()), stored);
  } else {
    header.compression = KeptCompression::none;
    stored.append(whole.begin(), whole.end());
  }
  header.stored_size = stored.size();
  header.checksum = llvm::xxh3_64bits(stored);

  std::string text;
  llvm::raw_string_ostream out(text);
  out << ".pushsection " << recording::kKeptSection << ",\"\",@progbits\n";
  print_ascii(out, bytes_of(&header, sizeof header));
  print_ascii(out, stored);
  out << ".popsection\n";
  module.appendModuleInlineAsm(text);
}

}  // namespace foretell::pass
