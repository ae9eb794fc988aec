// SPDX-License-Identifier: Apache-2.0

// MakeStateForEpoch (COVER 3.3): the state with which an epoch begins, from the ends of the paths that
// lead to it.
//
// A path's end stands for all inputs of its constraint: what is stable (stability.h) has its term. The
// states of two ends are joined place by place. Where both have the same constant it is kept; pointers
// are kept if they lead to objects that correspond; everything else is an input of the epoch, one variable
// for all places that are equal in both (so threads in lock step stay so). Objects correspond by the way
// they are reached first. Then the epoch is enumerated again, until its state covers every end that
// leads to it. Nothing is assumed about aliases, locks or interference: the ends say it.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "program/code.h"
#include "smt/expr_context.h"
#include "symbolic/epochs/markers.h"
#include "symbolic/epochs/stability.h"
#include "symbolic/executor/inputs.h"
#include "symbolic/executor/program_state.h"

namespace foretell::symbolic {

// Which epoch it is (COVER 2.1): the stacks of all threads, the blocked ones too, and who holds and waits
// for what.
std::string epoch_key(const program::Code& code, const ProgramState& state);
// "T0 t.c:40 (pthread_join), T1 t.c:12".
std::string epoch_name(const program::Code& code, const ProgramState& state);

struct Joined {
  ProgramState state;
  std::map<uint32_t, ObjectPlace> places;  // by object
  bool changed = false;
  bool failed = false;  // objects of synchronization do not correspond
};

// `known` is the state so far, or null: then that of the end alone.
Joined join_states(const program::Code& code, const Markers& markers, smt::ExprContext& context,
                   Inputs& inputs, uint32_t epoch, const ProgramState* known, ProgramState& end,
                   const Stability& stability);

}  // namespace foretell::symbolic
