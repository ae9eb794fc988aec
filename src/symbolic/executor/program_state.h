// SPDX-License-Identifier: Apache-2.0

// State of a program between two of its instructions: memory, threads with their stacks, and what
// their synchronization holds. At the beginning of an epoch its values may be inputs (epochs/join.h).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "program/code.h"
#include "symbolic/executor/memory.h"
#include "symbolic/models/synchronization.h"

namespace foretell::symbolic {

struct Frame {
  uint32_t function = 0, serial = 0;  // serial: number in Path::frames
  uint32_t block = 0, next = 0;
  std::vector<Value> registers;
  const program::CodeInstruction* call = nullptr;  // that waits for the result
  std::vector<ObjectNumber> slots;
};

struct Thread {
  std::vector<Frame> frames;
  bool is_done = false, is_joined = false;
  bool has_request = false;
  SyncRequest request;
  const program::CodeInstruction* request_call = nullptr;
  uint32_t request_detail = 0;
  std::vector<uint32_t> request_operands;  // that its object depends on
  Value exit_value = Value::pointer(kNullObject, 0);
  int exit_status = 0;
  // Where its result waits for who joins it.
  ObjectNumber exit_object = kNullObject;
  std::vector<ObjectNumber> own_globals;  // thread-local ones, by global
  // The point of reading at which it has just been.
  uint32_t passed_reading = ~0u;

  // The outermost loop without synchronization that it is in.
  struct LongLoop {
    bool is_open = false;
    size_t depth = 0;  // of frames
    uint32_t header = 0;
    size_t first_step = 0;
    uint64_t steps = 0;
  };
  LongLoop long_loop;

  // Of this epoch: visits of markers, and when a loop that synchronizes was last decided by inputs.
  struct Visit {
    uint32_t passes = 0;
    uint64_t at = 0;
  };
  std::map<uint32_t, Visit> visits;
  uint64_t decided_by_input_at = 0;
};

struct ProgramState {
  Memory memory;
  Synchronization synchronization;
  std::vector<Thread> threads;
  std::vector<ObjectNumber> globals;
};

}  // namespace foretell::symbolic
