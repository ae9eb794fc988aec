// SPDX-License-Identifier: Apache-2.0

// BlockStacks: which atomic blocks each thread is in.
//
// A transaction is what a thread does from the begin of an atomic block to its end (PREDICT 19).
// Blocks are what the trace declares (beg and end), and functions that should be atomic: those that
// AnalysisOptions::is_atomic_function names. They nest; the outermost one is the transaction, and
// the stack at an event says which inner ones the event belongs to.
//
// Stacks are immutable linked lists (PREDICT 21, "Blame assignment"), so that keeping the stack of
// an event costs a pointer. Two events of a thread lie in the same instance of a block exactly if
// both their stacks have its frame: the frames two stacks have in common are blocks that contain
// both.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "analysis/analysis.h"
#include "base/dense_table.h"

namespace foretell::analysis {

struct BlockFrame {
  finding::BlockName name;
  finding::EventRef begin;
  uint32_t depth = 1;                        // frames from here outwards
  uint32_t call = 0;                         // calls of the thread when it was entered
  std::shared_ptr<const BlockFrame> parent;  // the next block outwards
};
// Null outside all blocks.
using BlockStack = std::shared_ptr<const BlockFrame>;

// The innermost block that contains the events of both stacks, null if there is none. All blocks
// around it do, too.
const BlockFrame* common_block(const BlockStack& a, const BlockStack& b);

// The names from the outermost block to `innermost`.
std::vector<finding::BlockName> names_of(const BlockFrame* innermost);

class BlockStacks {
 public:
  enum class Change : uint8_t { none, began, began_inner, ended, ended_inner };

  explicit BlockStacks(const AnalysisOptions& options)
      : is_atomic_function_(options.is_atomic_function) {}

  // After a block's begin and before its end the thread is in it: ask for the stack of an `end`
  // before it is shown here.
  Change on_event(const trace::Event& e) {
    switch (e.kind) {
      case trace::EventKind::BlockBegin:
        return push(e, {finding::BlockName::Kind::label, e.object});
      case trace::EventKind::BlockEnd:
        return end_block(e);
      case trace::EventKind::FunctionEnter:
        return is_atomic_function_ ? enter(e) : Change::none;
      case trace::EventKind::FunctionExit:
        return is_atomic_function_ ? leave(e) : Change::none;
      default:
        return Change::none;
    }
  }

  const BlockStack& of(ThreadId thread) { return threads_[thread].stack; }
  bool in_block(ThreadId thread) { return threads_[thread].stack != nullptr; }

 private:
  struct Thread {
    BlockStack stack;
    std::vector<FunctionId> calls;
  };

  Change push(const trace::Event& e, finding::BlockName name);
  Change end_block(const trace::Event& e);
  Change enter(const trace::Event& e);
  Change leave(const trace::Event& e);
  static Change ended(const Thread& thread);

  std::function<bool(FunctionId)> is_atomic_function_;
  DenseTable<Thread, ThreadId> threads_;
};

}  // namespace foretell::analysis
