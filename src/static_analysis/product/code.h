// SPDX-License-Identifier: Apache-2.0

// A function as the product executes it: instructions and registers by number, and which registers
// are still needed where.
#pragma once

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace foretell::static_analysis {

class Code {
 public:
  explicit Code(const llvm::Function& function);

  const llvm::Function& function() const { return function_; }
  const llvm::Instruction& operator[](uint32_t at) const { return *instructions_[at]; }
  uint32_t start_of(const llvm::BasicBlock& block) const { return starts_.lookup(&block); }
  // The number of an argument or an instruction; a compare-and-swap has two, of its old value and
  // of its success.
  uint32_t slot_of(const llvm::Value& value) const { return slots_.lookup(&value); }
  // Registers that may be read when execution continues before an instruction.
  const llvm::BitVector& live_at(uint32_t at) const;

 private:
  void solve_liveness() const;
  void use(const llvm::Instruction& instruction, llvm::BitVector& live) const;
  void define(const llvm::Instruction& instruction, llvm::BitVector& live) const;

  const llvm::Function& function_;
  std::vector<const llvm::Instruction*> instructions_;
  llvm::DenseMap<const llvm::BasicBlock*, uint32_t> starts_;
  llvm::DenseMap<const llvm::Value*, uint32_t> slots_;
  uint32_t slot_count_ = 0;
  mutable llvm::DenseMap<const llvm::BasicBlock*, llvm::BitVector> live_out_;
  mutable std::map<uint32_t, llvm::BitVector> live_at_;
};

class CodeCache {
 public:
  const Code& of(const llvm::Function& function) {
    auto& known = codes_[&function];
    if (!known) known = std::make_unique<Code>(function);
    return *known;
  }

 private:
  llvm::DenseMap<const llvm::Function*, std::unique_ptr<Code>> codes_;
};

}  // namespace foretell::static_analysis
