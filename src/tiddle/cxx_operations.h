// SPDX-License-Identifier: Apache-2.0

// The statements of single operations in C++.
#pragma once

#include <string>

#include "base/diagnostic.h"
#include "tiddle/code_writer.h"
#include "tiddle/compile.h"
#include "tiddle/cxx_memory.h"
#include "tiddle/plan.h"

namespace foretell::tiddle {

class CxxOperations {
 public:
  CxxOperations(const Plan& plan, const CxxMemory& memory, bool lockstep, CodeWriter& out)
      : plan_(plan), memory_(memory), lockstep_(lockstep), out_(out) {}

  // Writes the operation of a step, without its turn. A wait ends its own turn.
  Result<void> write(size_t step);

  // std::mutex, std::recursive_mutex or std::shared_mutex.
  static std::string_view lock_type(const LockPlan& lock);

 private:
  Result<void> access(size_t step, const trace::Event& e);
  void variable_access(size_t step, const trace::Event& e, const MemoryObject& object);
  void word_access(size_t step, const trace::Event& e, const Place& place);
  void bytes_access(size_t step, const trace::Event& e, const Place& place);
  std::string pointer(const Place& place) const;
  void allocate(const trace::Event& e);
  void fork(size_t step, const trace::Event& e);
  void lock_operation(size_t step, const trace::Event& e);
  void begin_wait(size_t step, const trace::Event& e);
  Result<void> check_notify(size_t step, const trace::Event& e) const;
  std::string literal_text(size_t step) const { return as_literal(plan_.texts[step]); }
  size_t turn(size_t step) const { return plan_.first_step + step; }

  const Plan& plan_;
  const CxxMemory& memory_;
  bool lockstep_;
  CodeWriter& out_;
};

}  // namespace foretell::tiddle
