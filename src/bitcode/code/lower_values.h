// SPDX-License-Identifier: Apache-2.0

// Names of values for the lowering: registers, constants, globals with offsets.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Module.h>

#include <optional>

#include "program/code.h"

namespace foretell::bitcode {

class ValueNames {
 public:
  explicit ValueNames(const llvm::Module& module);

  // Numbers the registers of a function, parameters first.
  uint32_t enter(const llvm::Function& function);

  uint32_t number_of(const llvm::Function& function) const {
    return functions_.find(&function)->second;
  }
  uint32_t number_of(const llvm::GlobalVariable& global) const {
    return globals_.find(&global)->second;
  }
  uint32_t register_of(const llvm::Value& value) const { return registers_.find(&value)->second; }
  // Nothing if the constant is of a kind that Code has no word for.
  std::optional<program::Operand> operand_of(const llvm::Value& value) const;
  // The bytes and addresses of an initializer. False if it holds something that has no word.
  bool initialize(const llvm::Constant& constant, uint64_t at, program::CodeGlobal& global) const;

 private:
  std::optional<program::Operand> operand_of_constant(const llvm::Constant& constant) const;

  const llvm::DataLayout& layout_;
  llvm::DenseMap<const llvm::Function*, uint32_t> functions_;
  llvm::DenseMap<const llvm::GlobalVariable*, uint32_t> globals_;
  llvm::DenseMap<const llvm::Value*, uint32_t> registers_;
};

// Of a first-class value that Code can hold: its width in bits.
std::optional<uint8_t> width_of(const llvm::Type& type);

}  // namespace foretell::bitcode
