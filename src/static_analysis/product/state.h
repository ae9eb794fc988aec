// SPDX-License-Identifier: Apache-2.0

// A state of the product: where each thread is, what its registers hold, what shared cells hold.
//
// A value is a constant or anything. Threads of which there are few are told apart; of a kind that is
// started again and again ("crowd"), threads in the same local state are counted as one or many.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Value.h>

#include <array>
#include <compare>
#include <map>
#include <vector>

#include "static_analysis/product/code.h"

namespace foretell::static_analysis {

struct Value {
  enum class Kind : uint8_t {
    any,
    number,     // bits, zero-extended
    pointer,    // an object and a byte
    somewhere,  // in an object
    function,
    thread,  // a handle
  };
  Kind kind = Kind::any;
  uint32_t id = 0;
  uint64_t bits = 0;

  bool is_any() const { return kind == Kind::any; }
  auto operator<=>(const Value&) const = default;
};

using ObjectIndex = uint32_t;
// The section that verifier functions mark is a lock at this address.
inline constexpr ObjectIndex kAtomicSection = ~uint32_t{0};
// Beside the bytes of an object: what a semaphore or barrier counts.
inline constexpr uint32_t kCounter = uint32_t{1} << 31;

struct Spot {
  ObjectIndex object = 0;
  uint32_t offset = 0;
  auto operator<=>(const Spot&) const = default;
};

struct Cell {
  Spot spot;
  uint32_t size = 0;
  Value value;
};

struct Holding {
  Spot lock;
  bool shared = false;
  uint8_t times = 1;
  auto operator<=>(const Holding&) const = default;
};

struct Frame {
  const Code* code = nullptr;
  uint32_t at = 0;
  const llvm::Value* call = nullptr;                  // whose result it returns, in the frame below
  std::vector<std::pair<uint32_t, Value>> registers;  // by slot; the others hold anything
  std::vector<ObjectIndex> slots;                     // objects that end with it

  Value read(uint32_t slot) const;
  void write(uint32_t slot, const Value& value);
};

enum class Phase : uint8_t {
  running,
  reacquiring,  // in a wait on a condition, after it gave its lock away
  at_barrier,
  past_barrier,
  finished,
  gone,  // finished, and joined
};

struct ThreadState {
  uint32_t kind = 0;
  uint32_t instance = 0;
  bool is_crowd = false, many = false;
  Phase phase = Phase::running;
  std::vector<Frame> frames;
  std::vector<Holding> held;

  uint32_t handle() const { return kind << 4 | instance; }
  bool holds(const Spot& lock) const;
};

struct State {
  std::vector<ThreadState> threads;
  std::vector<Cell> cells;             // by spot; the others hold what their object began with
  std::vector<ObjectIndex> blurred;    // whose other cells hold anything
  std::vector<ObjectIndex> allocated;  // heap objects and slots there are now

  const Cell* find(const Spot& spot) const;
  // Drops every cell that shares bytes with these.
  void clear(const Spot& spot, uint32_t size);
  void put(const Spot& spot, uint32_t size, const Value& value);
  void blur(ObjectIndex object);
  bool is_blurred(ObjectIndex object) const;
  void end_object(ObjectIndex object);

  // Merges equal members of a crowd, and forgets threads nobody can join.
  void settle();
  std::array<uint64_t, 2> fingerprint() const;
};

}  // namespace foretell::static_analysis
