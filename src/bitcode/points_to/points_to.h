// SPDX-License-Identifier: Apache-2.0

// What the pointers of a whole program may point to, which functions call which, and which memory
// each instruction touches.
//
// By inclusion (solver.h): flow- and context-insensitive, with fields told apart by their bytes and
// elements of an array as one. The call graph is found on the way: a call through a pointer gets a
// callee when the function reaches it. Heap objects are named by the call that allocates; if a
// function does nothing with a new object but fill and return it, by that function's callers
// (wrappers.h).
//
// Sound for what the language and LLVM let a program do with pointers. Each value has a set, that
// of what it may point to if it is a pointer or carries the bits of one: optimizers copy pointers
// as integers, programs tag them and copy them byte by byte. So integers carry targets through
// memory, casts and bit operations of any width, and through sums and differences of 64 bits and
// more. Comparisons, products, floating point arithmetic and sums of fewer bits carry nothing.
//
// Code that cannot be seen may do anything with what it gets. All it may reach has escaped;
// functions that have may be called by any thread with any arguments.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "bitcode/externals.h"
#include "bitcode/points_to/solver.h"
#include "bitcode/points_to/wrappers.h"
#include "program/facts.h"

namespace llvm {
class GEPOperator;
}

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
  Node pointer;
  bool is_source = false;  // the source of a copy, which has a site of its own
};

struct CallEdge {
  const llvm::CallBase* call;
  const llvm::Function* callee;
  bool is_indirect;
};

enum class MadeOf : uint8_t {
  unknown,  // all that has escaped
  function,
  constant,  // nobody writes to it
  hidden,    // the compiler's or a library's
  global,
  thread_local_variable,
  heap,
  stack,
};

struct AbstractObject {
  MadeOf kind = MadeOf::hidden;
  // The global, the stack slot, the function, or the call that allocates.
  const llvm::Value* value = nullptr;
  // Of a clone: the call of the wrapper, and what the wrapper itself sees.
  const llvm::CallBase* wrapper_call = nullptr;
  ObjectId cloned_from{};
};

class PointsTo {
 public:
  PointsTo(llvm::Module& module, const Surroundings& surroundings, const Externals& externals);

  const Externals& externals() const { return externals_; }
  const Solver& solution() const { return solver_; }
  const std::vector<AbstractObject>& objects() const { return objects_; }
  const AbstractObject& operator[](ObjectId id) const { return objects_[number(id)]; }
  // What a value may point to.
  const Bits& targets_of(const llvm::Value& value) const {
    const auto known = of_.find(&value);
    return solver_.targets_of(known == of_.end() ? kNothing : known->second);
  }

  const std::vector<Touch>& touches() const { return touches_; }
  const std::vector<CallEdge>& calls() const { return calls_; }
  // Calls through a pointer that may lead to code nobody can see.
  bool may_call_unknown(const llvm::CallBase& call) const { return unknown_calls_.contains(&call); }
  // Functions that threads begin with, and those the unknown may call.
  const llvm::SetVector<const llvm::Function*>& entries() const { return entries_; }
  const llvm::SetVector<const llvm::Function*>& exit_handlers() const { return exit_handlers_; }
  // Pointers that starting a thread hands from one to the other, and results of threads.
  const std::vector<Node>& handed_over() const { return handed_over_; }
  // Whether a thread other than the first may run the exit handlers: `exits` is called by the
  // functions given here, or a thread ends the process by being the last.
  const std::vector<const llvm::Function*>& exiting() const { return exiting_; }
  bool ends_threads() const { return ends_threads_; }
  // What threads return to whoever joins them.
  Node thread_result() const { return thread_result_; }

  const std::map<std::string, uint64_t>& unknown_functions() const { return unknown_functions_; }
  uint64_t assembly_uses() const { return assembly_uses_; }

 private:
  // A call of whatever a pointer points to, by the program or by somebody else.
  enum class Callback : uint8_t { indirect_call, call, entry, exit_handler };
  struct Watcher {
    const llvm::CallBase* call;
    Callback kind;
    std::vector<Node> arguments;
  };

  // Values
  Node of(const llvm::Value* value);
  Node of_constant(const llvm::Constant& constant);
  Node of_global(const llvm::GlobalValue& global);
  ObjectId object_of(const llvm::GlobalValue& global);
  ObjectId add_object(AbstractObject object, std::optional<uint64_t> size);
  Node result_of(const llvm::Function& function);
  ObjectId variadic_of(const llvm::Function& function);
  Node pointing_to(ObjectId object);
  // The same pointers, to any byte of what they point to.
  Node anywhere(Node pointer);
  Extent extent_of(const llvm::Type* type) const;
  NodeKind kind_of(const llvm::Value& value) const;

  // Globals and what is exposed to others
  void visit_globals();
  void visit_initial(Node object, const llvm::Constant& initial, uint64_t offset);
  void expose(const Surroundings& surroundings);
  void expose_names(llvm::StringRef assembly);
  void escape(Node pointer) { solver_.copy(pointer, solver_.escaped()); }
  void make_unknown(Node pointer) { solver_.copy(solver_.unknown(), pointer); }

  // Instructions
  void visit(const llvm::Instruction& instruction);
  void visit_operator(const llvm::Instruction& instruction);
  void visit_address(const llvm::GEPOperator& address, Node result, bool is_repeated);
  void visit_sum(const llvm::Instruction& sum);

  // Calls
  void visit_call(const llvm::CallBase& call);
  void visit_intrinsic(const llvm::CallBase& call);
  bool visit_memory_intrinsic(const llvm::CallBase& call);
  void visit_assembly(const llvm::CallBase& call);
  void visit_external(const llvm::CallBase& call, const llvm::Function& callee);
  void visit_effect(const llvm::CallBase& call, Effect effect);
  void visit_unknown(const llvm::CallBase& call);
  void visit_allocation(const llvm::CallBase& call, Effect effect);
  void visit_mixing(const llvm::CallBase& call);
  void visit_std_thread(const llvm::CallBase& call);
  void connect(const llvm::CallBase& call, const llvm::Function& callee, bool is_indirect);
  // The objects a call allocates: one, or one for each that its wrapper may return.
  const std::vector<ObjectId>& allocated_by(const llvm::CallBase& call);
  Node argument(const llvm::CallBase& call, unsigned index);
  std::vector<Node> pointer_arguments(const llvm::CallBase& call);
  void call_back(const llvm::CallBase& call, Node function, std::vector<Node> arguments,
                 Callback kind);

  void add_unknown_callees();

  // Found while solving
  void reached(uint32_t watcher, ObjectId object);
  void reached_function(const Watcher& watcher, const llvm::Function& function);
  void escaped(ObjectId object);

  void touch(const llvm::Instruction& by, program::AccessKind kind, Node pointer,
             bool is_source = false) {
    touches_.push_back({&by, kind, pointer, is_source});
  }
  void touch_arguments(const llvm::CallBase& call);

  llvm::Module& module_;
  const Externals& externals_;
  Wrappers wrappers_;
  Solver solver_;
  std::vector<AbstractObject> objects_;
  llvm::DenseMap<const llvm::Value*, Node> of_;
  llvm::DenseMap<const llvm::GlobalValue*, ObjectId> globals_;
  llvm::DenseMap<const llvm::CallBase*, std::vector<ObjectId>> allocated_;
  llvm::DenseMap<const llvm::Function*, Node> results_;
  llvm::DenseMap<const llvm::Function*, ObjectId> variadics_;
  std::vector<Watcher> watchers_;
  std::set<std::pair<uint32_t, ObjectId>> reached_;
  llvm::DenseSet<const llvm::CallBase*> unknown_calls_;

  std::vector<Touch> touches_;
  std::vector<CallEdge> calls_;
  llvm::SetVector<const llvm::Function*> entries_, exit_handlers_;
  Node thread_result_{};  // what threads return to whoever joins them
  std::vector<Node> handed_over_;
  std::vector<const llvm::Function*> exiting_;
  std::map<std::string, uint64_t> unknown_functions_;
  uint64_t assembly_uses_ = 0;
  bool ends_threads_ = false;
};

// Whether a value of this type in a register can be a pointer.
bool can_hold_pointer(const llvm::Type& type);

}  // namespace foretell::bitcode
