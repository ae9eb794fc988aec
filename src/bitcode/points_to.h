// SPDX-License-Identifier: Apache-2.0

// What the pointers of a whole program may point to, which functions call which, and which memory
// each function touches.
//
// Unification based (memory_classes.h): flow- and context-insensitive, a structure is one cell.
// Almost linear in the number of instructions.
//
// Sound for what the language and LLVM let a program do with pointers. Each value has a class, that
// of the objects it may point to if it is a pointer or carries the bits of one: optimizers copy
// pointers as integers, programs tag them and copy them byte by byte. So integers carry classes
// through memory, casts and bit operations of any width, and through sums and differences of 64
// bits and more. Comparisons, products, floating point arithmetic and sums of fewer bits carry
// nothing.
//
// Code that cannot be seen may do anything with what it gets. All it may reach is one class, the
// unknown; functions in it may be called by any thread with any arguments.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <map>
#include <string>
#include <vector>

#include "bitcode/externals.h"
#include "bitcode/memory_classes.h"
#include "program/facts.h"

namespace foretell::bitcode {

// What of the program can be seen from outside its bitcode.
struct Surroundings {
  std::vector<std::string> exported;  // symbols a shared library or foreign code can name
  bool all_exported = false;          // every symbol that is not local to its file
  std::vector<program::Unknown> unknowns;
};

struct Touch {
  const llvm::Instruction* instruction;
  program::AccessKind kind;
  ClassId memory;
  bool is_source = false;  // the source of a copy, which has a site of its own
};

struct CallEdge {
  const llvm::CallBase* call;
  const llvm::Function* callee;
  bool is_indirect;
};

// Memory that is made by an instruction: an allocation or a stack slot.
struct Made {
  const llvm::Instruction* instruction;
  ClassId memory;
};

class PointsTo {
 public:
  PointsTo(llvm::Module& module, const Surroundings& surroundings);

  MemoryClasses& classes() { return classes_; }
  ClassId memory_of(const llvm::GlobalValue& global) { return of(&global); }

  const std::vector<Touch>& touches() const { return touches_; }
  const std::vector<CallEdge>& calls() const { return calls_; }
  const std::vector<Made>& made() const { return made_; }
  // Functions that threads begin with, and those the unknown may call.
  const llvm::SetVector<const llvm::Function*>& entries() const { return entries_; }
  const llvm::SetVector<const llvm::Function*>& exit_handlers() const { return exit_handlers_; }
  // Classes that starting a thread hands from one to the other, and results of threads.
  const std::vector<ClassId>& handed_over() const { return handed_over_; }
  // Whether a thread other than the first may run the exit handlers: `exits` is called by the
  // functions given here, or a thread ends the process by being the last.
  const std::vector<const llvm::Function*>& exiting() const { return exiting_; }
  bool ends_threads() const { return ends_threads_; }

  const std::map<std::string, uint64_t>& unknown_functions() const { return unknown_functions_; }
  uint64_t assembly_uses() const { return assembly_uses_; }

 private:
  ClassId of(const llvm::Value* value);
  ClassId of_constant(const llvm::Constant* constant);
  ClassId content_of(const llvm::Value* pointer) { return classes_.content(of(pointer)); }
  ClassId result_of(const llvm::Function& function);
  ClassId variadic_of(const llvm::Function& function);
  // What threads return to whoever joins them.
  ClassId thread_result() const { return handed_over_.front(); }

  void visit_globals(llvm::Module& module);
  void expose(llvm::Module& module, const Surroundings& surroundings);
  void expose_used(llvm::Module& module);
  void expose_names(llvm::StringRef assembly, llvm::Module& module);
  void visit(const llvm::Instruction& instruction);
  void visit_operator(const llvm::Instruction& instruction);
  void visit_call(const llvm::CallBase& call);
  void visit_intrinsic(const llvm::CallBase& call);
  void visit_assembly(const llvm::CallBase& call);
  void visit_external(const llvm::CallBase& call, const llvm::Function& callee);
  void visit_unknown(const llvm::CallBase& call);
  void visit_allocation(const llvm::CallBase& call, Effect effect);
  void connect(const llvm::CallBase& call, const llvm::Function& callee, bool is_indirect);
  // A call of whatever `function` points to, by somebody else, with arguments of these classes.
  enum class Callback : uint8_t { call, entry, exit_handler };
  struct Called {
    const llvm::CallBase* call;
    ClassId function;
    std::vector<ClassId> arguments;
    Callback kind;
  };
  void call_back(const llvm::CallBase& call, unsigned function, std::vector<ClassId> arguments,
                 Callback kind);

  // Until nothing changes: functions found for indirect calls, and in the unknown.
  void solve();
  bool resolve_calls();
  bool resolve_callbacks();
  bool expose_functions();

  void touch(const llvm::Instruction& by, program::AccessKind kind, ClassId memory,
             bool is_source = false) {
    touches_.push_back({&by, kind, memory, is_source});
  }
  void touch_arguments(const llvm::CallBase& call);
  void unite_all(std::vector<ClassId> members);

  llvm::Module& module_;
  MemoryClasses classes_;
  llvm::DenseMap<const llvm::Value*, ClassId> of_;
  llvm::DenseMap<const llvm::Function*, ClassId> results_, variadics_;
  std::vector<const llvm::Function*> taken_;  // functions whose address is used
  std::vector<const llvm::CallBase*> indirect_;
  std::vector<Called> callbacks_;
  llvm::DenseSet<std::pair<const void*, const llvm::Function*>> resolved_;
  llvm::DenseSet<const void*> unknown_calls_;

  std::vector<Touch> touches_;
  std::vector<CallEdge> calls_;
  std::vector<Made> made_;
  llvm::SetVector<const llvm::Function*> entries_, exit_handlers_;
  std::vector<ClassId> handed_over_;
  std::vector<const llvm::Function*> exiting_;
  std::map<std::string, uint64_t> unknown_functions_;
  uint64_t assembly_uses_ = 0;
  bool ends_threads_ = false;
};

}  // namespace foretell::bitcode
