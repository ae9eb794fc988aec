// Facts as text for a person, and as JSON for a program.
#pragma once

#include <string>

#include "program/facts.h"

namespace foretell::program {

std::string facts_text(const Facts& facts);
std::string facts_json(const Facts& facts);

}  // namespace foretell::program
