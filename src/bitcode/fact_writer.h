// SPDX-License-Identifier: Apache-2.0

// Writes down what the analyses found, in the words of src/program.
#pragma once

#include "bitcode/points_to/points_to.h"
#include "bitcode/whole_program.h"
#include "program/facts.h"

namespace foretell::bitcode {

program::Facts write_facts(WholeProgram& whole, const Surroundings& surroundings,
                           const Externals& externals);

}  // namespace foretell::bitcode
