// SPDX-License-Identifier: Apache-2.0

// Covers for people: summary, schedules with their constraints, graphs, tests.
#pragma once

#include <string>
#include <vector>

#include "symbolic/schedules/cover.h"

namespace foretell::symbolic {

// "1 epoch, 2 constraints, 2 schedules; every input is covered".
std::string summary_text(const Cover& cover);
// Epochs and schedules: one row each, the notes at the end.
std::string cover_text(const Cover& cover);
// One schedule, threads as columns, an operation a line in an order that the schedule allows.
std::string schedule_text(const Cover& cover, const CoveredSchedule& covered);
// The happens-before graphs, for graphviz.
std::string cover_dot(const Cover& cover);

// The arguments that make the program's inputs those of the example; the program's name not among them.
std::vector<std::string> arguments_of(const Cover& cover,
                                      const std::map<std::string, uint64_t>& example);
std::string condition_text(const std::vector<smt::Expr>& conditions);
// Values of the inputs with which an epoch takes this way.
std::string example_text(const Cover& cover, size_t epoch, const Alternative& alternative);
// As one would type them.
std::string command_text(const std::vector<std::string>& arguments);

}  // namespace foretell::symbolic
