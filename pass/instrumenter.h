// SPDX-License-Identifier: Apache-2.0

// Puts the sequences of recording/hooks.h around the selected instructions of a function.
//
// State: hooks_, table_  one for the module; the pass owns them
//        everything else  of the function being instrumented
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <array>

#include "module_hooks.h"
#include "selection.h"
#include "site_table.h"
#include "sites.h"

namespace foretell::pass {

class Instrumenter {
 public:
  Instrumenter(Hooks& hooks, SiteTable& table) : hooks_(hooks), table_(table) {}

  // Afterward the function has two bodies: one that records, and one that watches (watching.cc).
  void instrument(llvm::Function& function, const Selection& selection, const Sites& sites);

 private:
  void instrument_recording(llvm::Function& function, const Selection& selection,
                            const Sites& sites);
  // `body` is a copy of the function that has its selection.
  void instrument_watching(llvm::Function& body, Selection given, const Sites& sites);
  void watch_access(const Hooked& hooked, uint32_t site, bool decides);
  void watch_entry_and_exits(llvm::Function& body, uint32_t site, bool leaves_call_sites);
  llvm::Value* check_loop(llvm::Instruction& before, const std::array<llvm::Value*, 5>& arguments,
                          uint32_t what);
  void count_work(llvm::Instruction& before, llvm::Value* rounds);
  void jump_to_watching(llvm::Function& function, llvm::Function& body);
  void instrument_one(const Hooked& hooked, uint32_t site);
  void instrument_access(llvm::Instruction& access, uint32_t site);
  void instrument_filtered(llvm::LoadInst& load, uint32_t site);
  // Filtered reads that follow each other.
  void instrument_together(llvm::ArrayRef<Hooked> reads, llvm::ArrayRef<uint32_t> sites);
  // Moves filtered reads behind the one at `begin` if nothing but arithmetic stands between;
  // returns the place of the first that stays where it is.
  static size_t gather_reads(const std::vector<Hooked>& hooked, size_t begin);
  llvm::Value* seen(llvm::IRBuilderBase& builder) const;
  void count_hits(llvm::IRBuilderBase& builder, uint64_t count, llvm::BasicBlock* probe,
                  llvm::BasicBlock* done);
  void instrument_range(llvm::Instruction& access, uint32_t site);
  void instrument_masked(llvm::CallBase& call, uint32_t site);
  void instrument_copy(llvm::Instruction& copy, bool source, uint32_t site);
  void instrument_atomic(llvm::Instruction& atomic, uint32_t site);
  void instrument_assembly(llvm::CallBase& assembly, uint32_t site);
  void instrument_fence(llvm::FenceInst& fence, uint32_t site);
  void instrument_call(llvm::Instruction& call, uint32_t site);
  void instrument_branch(llvm::Instruction& branch, uint32_t site);
  void instrument_entry_and_exits(llvm::Function& function, uint32_t site, bool leaves_call_sites);

  llvm::Value* thread_field(llvm::IRBuilderBase& builder, size_t offset) const;
  // The check before a step.
  void check(llvm::Instruction& before, llvm::Value* address);
  llvm::Value* header(llvm::IRBuilderBase& builder, llvm::Value* address, uint32_t site) const;
  // Stores a compact record; `value` may be null.
  void record(llvm::IRBuilderBase& builder, llvm::Value* header, llvm::Value* value);
  // Several: the first goes to cursor(), the others to where add_record says.
  llvm::Value* cursor(llvm::IRBuilderBase& builder) const;
  static llvm::Value* add_record(llvm::IRBuilderBase& builder, llvm::Value* at, llvm::Value* header,
                                 llvm::Value* value);
  void set_cursor(llvm::IRBuilderBase& builder, llvm::Value* cursor) const;
  void record_entry(llvm::IRBuilder<>& builder, uint32_t site);
  void record_exit(llvm::IRBuilder<>& builder, uint32_t site);
  // The bits of a value as an integer of its store size; 0 if it has none of 1, 2, 4, 8 bytes.
  llvm::Value* bits_of(llvm::IRBuilderBase& builder, llvm::Value* value) const;
  llvm::Value* wide_bits_of(llvm::IRBuilderBase& builder, llvm::Value* value) const;

  Hooks& hooks_;
  SiteTable& table_;
};

}  // namespace foretell::pass
