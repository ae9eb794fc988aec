// SPDX-License-Identifier: Apache-2.0

// How each lock and field of a trace is written in Java, and what Java cannot do.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "tiddle/plan.h"

namespace foretell::tiddle {

enum class JavaLock {
  synchronized_block,  // an Object; its sections nest with everything else in the code
  reentrant,           // ReentrantLock
  read_write,          // ReentrantReadWriteLock
};

struct JavaField {
  std::string name, identifier;
  bool wide = false;         // long
  bool is_volatile = false;  // only sequentially consistent atomic reads and writes
  bool handle = false;       // accessed through a VarHandle
  std::string handle_identifier;
};

struct JavaObjects {
  std::vector<JavaLock> locks;            // by LockId
  std::vector<LockId> lock_of_condition;  // by ConditionId
  absl::flat_hash_map<LocationId, JavaField> fields;
  std::vector<LocationId> field_order;
};

// Fails for what has no counterpart in Java, naming the event.
Result<JavaObjects> plan_java(Plan& plan, bool lockstep);

}  // namespace foretell::tiddle
