// SPDX-License-Identifier: Apache-2.0

// Thread-modular abstract interpretation of a prepared program: what each read may return, and who
// may have written it.
//
// Each thread is interpreted by itself, in weak topological order with widening (to constants of the
// program) and two rounds of narrowing. Its memory is what it has seen to itself; a read also sees
// what other threads may write at the same time, or have written since they were started from here,
// unless a write of this thread after their end has replaced it. What a thread writes, and what memory
// holds when it starts another one, goes to the others; all threads are interpreted again until that is
// stable. So narrowing stays within a thread: narrowing what threads tell each other is unsound.
// (STATICDET 3.4 and 4.4 for memory; Mine, "Static analysis of run-time errors in embedded
// critical parallel C programs", ESOP 2011, for the iteration.)
//
// Assumed as by the whole check: signed overflow does not happen, memory is written before it is
// read.
#pragma once

#include <llvm/IR/Instructions.h>

#include "static_analysis/interpreter/order.h"
#include "static_analysis/interpreter/state.h"

namespace foretell::static_analysis::interpreter {

// Cells of the first or the second level (memory/cells.h).
template <typename Cell>
class Interpreter {
 public:
  Interpreter(const PairRules& rules, const Places& places);

  // Too large, or not stable after many rounds: nothing is known.
  bool gave_up() const { return gave_up_; }

  struct Read {
    const llvm::Instruction* instruction;
    ThreadId thread;
    PlaceId place;
    Cell seen;
  };
  // Of typed places.
  const std::vector<Read>& reads() const { return reads_; }
  // What main leaves, with what threads that it did not wait for may add.
  const std::map<PlaceId, Cell>& final_memory() const { return final_; }
  // The bytes that an access can reach from the base of its address (sync/lock_sets.h): from `low` to
  // before `high`.
  struct Span {
    int64_t low, high;
  };
  std::optional<Span> span_of(const llvm::Instruction& access, ThreadId thread) const;
  // A register or a constant, in a function that a thread runs.
  Value value_of(const llvm::Value& value, ThreadId thread) const;

 private:
  using MemoryState = State<Cell>;
  struct Fact {  // a write that others may see
    const llvm::Instruction* instruction;
    ThreadId thread;
    bool is_called;  // in a function that is not the thread's own
    Value value;
  };
  struct Unit {  // a function that a thread runs
    ThreadId thread{};
    const llvm::Function* function = nullptr;
    bool is_root = false;
    std::vector<Component> order;
    llvm::DenseMap<const llvm::Value*, Value> registers;
    llvm::DenseMap<const llvm::BasicBlock*, MemoryState> in, out;
  };

  void collect_thresholds();
  void interpret(Unit& unit);
  void iterate(Unit& unit, const std::vector<Component>& order);
  void stabilize(Unit& unit, const Component& component);
  MemoryState entering(Unit& unit, const llvm::BasicBlock& block, bool widens);
  void execute(Unit& unit, const llvm::BasicBlock& block);
  void note(Unit& unit, const llvm::Instruction& instruction, const MemoryState& state);
  void note_span(const Unit& unit, const llvm::Instruction& instruction, const MemoryState& state);
  void note_end(const Unit& unit, const llvm::Instruction& instruction, const MemoryState& state);
  bool publish();

  MemoryState first_state(const Unit& unit) const;
  // Memory as a thread finds it that is started here.
  MemoryState handed_over(const Unit& unit, const llvm::Instruction& at,
                          const MemoryState& state) const;
  bool is_covered(const Unit& unit, const llvm::Instruction& at, const MemoryState& state,
                  PlaceId place) const;
  Cell visible(const Unit& unit, const llvm::Instruction& at, const MemoryState& state,
               PlaceId place) const;
  Cell everything_in(PlaceId place) const;
  void write(Unit& unit, const llvm::Instruction& at, MemoryState& state, PlaceId place,
             const Value& value, bool replaces) const;
  void step(Unit& unit, const llvm::Instruction& instruction, MemoryState& state) const;
  Value loaded(const Unit& unit, const llvm::Instruction& at, const MemoryState& state,
               const llvm::Type& type) const;
  void stored(Unit& unit, const llvm::Instruction& at, MemoryState& state,
              const Value& value) const;
  Value updated(const Unit& unit, const llvm::AtomicRMWInst& update,
                const MemoryState& state) const;

  const PairRules& rules_;
  const Places& memory_;
  std::vector<Unit> units_;
  std::vector<int64_t> thresholds_;
  std::vector<std::vector<Fact>> facts_, new_facts_;  // of each place
  std::map<ThreadId, MemoryState> entries_, new_entries_;
  // Of each thread and place: whether no thread of this kind ends without having written it. Assumed
  // at first, and given up where it does not hold.
  std::vector<std::vector<bool>> surely_writes_, new_surely_writes_;
  std::vector<Read> reads_;
  std::map<PlaceId, Cell> final_;
  std::map<std::pair<const llvm::Instruction*, ThreadId>, std::optional<Span>> spans_;
  int round_ = 0;
  bool is_noting_ = false, widens_ = true, gave_up_ = false;
};

extern template class Interpreter<memory::ThreadValues<Value>>;
extern template class Interpreter<memory::JoinedValue<Value>>;

}  // namespace foretell::static_analysis::interpreter
