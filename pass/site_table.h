// SPDX-License-Identifier: Apache-2.0

// The table of sites, globals and strings that travels in the object file, and the constructor
// that hands it to the runtime (recording::Module).
//
// A site is known by its index here; the runtime numbers the sites of the module when it is loaded
// and writes the numbers, as headers of records have them, into the array `site_bits`. Equal rows
// are one site.
#pragma once

#include <llvm/ADT/StringMap.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "debug_info.h"
#include "recording/module.h"

namespace foretell::pass {

class SiteTable {
 public:
  explicit SiteTable(llvm::Module& module);

  // `op` is that of the compact records of this place, None if it has none.
  uint32_t add(const Position& position, llvm::StringRef expression, uint32_t flags,
               recording::Op op = recording::Op::None);
  void add_global(llvm::GlobalVariable& global);

  // The number of the site at run time, and shifted to where headers of records have it.
  llvm::Value* number(llvm::IRBuilderBase& builder, uint32_t site) const;
  llvm::Value* bits(llvm::IRBuilderBase& builder, uint32_t site) const;

  // What of the table the kept bitcode needs: the name of the source file among the strings, the
  // rows one after the other, and the globals in their order.
  uint32_t module_name() { return string(module_.getSourceFileName()); }
  std::vector<uint32_t> flat_rows() const;
  llvm::StringRef strings() const { return strings_; }
  std::vector<llvm::GlobalVariable*> globals() const;

  // Writes tables, descriptor and constructor into the module; nothing if there is nothing to say.
  void emit(uint32_t skipped, uint32_t repeated);

 private:
  using Row = std::array<uint32_t, 6>;
  struct GlobalEntry {
    llvm::GlobalVariable* variable;
    uint64_t size;
    uint32_t name;
    uint32_t fields;
  };

  uint32_t string(llvm::StringRef text);
  llvm::GlobalVariable* new_site_bits(uint64_t count) const;
  llvm::GlobalVariable* site_bits() const;
  llvm::GlobalVariable* constant(llvm::Constant* value, const llvm::Twine& name) const;

  llvm::Module& module_;
  // Of no length until emit; null until code uses it, so that kept bitcode is without it.
  mutable llvm::GlobalVariable* site_bits_ = nullptr;
  std::string strings_;
  llvm::StringMap<uint32_t> offsets_;
  std::vector<Row> rows_;
  std::map<Row, uint32_t> numbers_;
  static uint64_t size_and_start(const GlobalEntry& entry);

  std::vector<GlobalEntry> globals_;
};

}  // namespace foretell::pass
