// SPDX-License-Identifier: Apache-2.0

// What reports say about a violated property.
#pragma once

#include <string>

#include "finding/details.h"

namespace foretell::report {

// What the property wants, and the monitor's states along the run that violates it, line by line.
std::string property_text(const finding::PropertyFinding& property);
std::string property_steps(const finding::PropertyFinding& property);

}  // namespace foretell::report
