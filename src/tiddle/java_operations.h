// SPDX-License-Identifier: Apache-2.0

// The statements of single operations in Java.
#pragma once

#include <string>

#include "tiddle/code_writer.h"
#include "tiddle/java_plan.h"
#include "tiddle/plan.h"

namespace foretell::tiddle {

class JavaOperations {
 public:
  JavaOperations(const Plan& plan, const JavaObjects& objects, bool lockstep, CodeWriter& out)
      : plan_(plan), objects_(objects), lockstep_(lockstep), out_(out) {}

  // Writes the operation of a step, without its turn.
  void write(size_t step);

  // A wait during which its thread is not in the lockstep: it really blocks.
  static bool leaves_lockstep(const Plan& plan, size_t step);

 private:
  void access(size_t step, const trace::Event& e);
  void lock_operation(size_t step, const trace::Event& e);
  void wait(size_t step, const trace::Event& e);
  std::string literal_text(size_t step) const { return as_literal(plan_.texts[step]); }

  const Plan& plan_;
  const JavaObjects& objects_;
  bool lockstep_;
  CodeWriter& out_;
};

}  // namespace foretell::tiddle
