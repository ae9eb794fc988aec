// SPDX-License-Identifier: Apache-2.0

// Why two events cannot come together, in words: what orders them in every schedule.
#pragma once

#include <span>
#include <string>

#include "finding/result.h"

namespace foretell::pipeline {

// "T1 is joined by T0 at dead.cpp:17:8 before T2 is started at dead.cpp:18:15". `path` is not
// empty.
std::string refutation_text(std::span<const finding::OrderEdge> path);

}  // namespace foretell::pipeline
