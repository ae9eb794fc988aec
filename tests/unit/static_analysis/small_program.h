// SPDX-License-Identifier: Apache-2.0

// A small language with threads, and all its executions: STATICDET 2.1 with locks, conditions and
// inputs. A step is one access to shared memory, or a locked section as a whole.
#pragma once

#include <random>

#include "static_analysis/memory/definitions.h"

namespace foretell::static_analysis::memory {

// variable = (of if any, else 0) + constant + input * factor; only if the condition holds.
struct SmallStep {
  Variable variable;
  std::optional<Variable> of;
  int64_t constant = 0, input_factor = 0;
  bool if_positive = false;  // only if the result is positive
};
struct SmallProgram {
  ConcreteMemory initial;                       // written by the system
  std::vector<std::vector<SmallStep>> threads;  // threads 1, 2, ...
};

// W and R (2.3), and with them a step; a thread sees the memory before and after each of its steps.
inline ConcreteMemory after(ConcreteMemory memory, const SmallStep& step, Writer writer,
                            int64_t input) {
  const int64_t value =
      (step.of ? memory.at(*step.of).first : 0) + step.constant + input * step.input_factor;
  if (!step.if_positive || value > 0) memory[step.variable] = {value, writer};
  return memory;
}

inline void run_all(const SmallProgram& program, int64_t input, const ConcreteMemory& memory,
                    std::vector<size_t>& places, Execution& execution, Executions& all) {
  bool ended = true;
  for (size_t i = 0; i < program.threads.size(); i++) {
    if (places[i] == program.threads[i].size()) continue;
    ended = false;
    const Writer thread{static_cast<uint32_t>(i) + 1};
    const ConcreteMemory next = after(memory, program.threads[i][places[i]], thread, input);
    execution[thread].push_back(memory);
    execution[thread].push_back(next);
    places[i]++;
    run_all(program, input, next, places, execution, all);
    places[i]--;
    execution[thread].resize(execution[thread].size() - 2);
  }
  if (ended) all.insert(execution);
}

inline Executions executions_of(const SmallProgram& program, int64_t input) {
  Executions all;
  Execution execution;
  std::vector<size_t> places(program.threads.size());
  run_all(program, input, program.initial, places, execution, all);
  return all;
}

inline SmallProgram random_program(std::mt19937_64& random) {
  const std::vector<Variable> names = {"x", "y", "z"};
  SmallProgram program;
  for (const Variable& name : names)
    program.initial[name] = {static_cast<int64_t>(random() % 7) - 3, kSystem};
  const size_t threads = 1 + random() % 3;
  const bool is_owned = random() % 3 == 0;  // each thread has a variable of its own
  for (size_t i = 0; i < threads; i++) {
    std::vector<SmallStep> steps;
    for (uint64_t left = 1 + random() % (threads == 3 ? 2 : 3); left > 0; left--) {
      SmallStep step{.variable = names[is_owned ? i : random() % names.size()], .of = {}};
      if (random() % 2) step.of = is_owned ? step.variable : names[random() % names.size()];
      step.constant = static_cast<int64_t>(random() % 5) - 2;
      step.input_factor = random() % 4 == 0;
      step.if_positive = random() % 4 == 0;
      steps.push_back(step);
    }
    program.threads.push_back(std::move(steps));
  }
  return program;
}

}  // namespace foretell::static_analysis::memory
