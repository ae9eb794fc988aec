// Facts as text for a person, and as JSON for a program.
#pragma once

#include <string>

#include "program/facts.h"

namespace foretell::program {

// Files below `folder` are named as seen from there.
std::string facts_text(const Facts& facts, const std::string& folder);
std::string facts_json(const Facts& facts);

}  // namespace foretell::program
