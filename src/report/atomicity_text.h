// SPDX-License-Identifier: Apache-2.0

// What text reports say of an atomicity violation: the block's two accesses, what came between
// them, and what is wrong about that.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "finding/result.h"
#include "report/lanes.h"

namespace foretell::report {

struct AtomicityStyle {
  std::function<std::string(const finding::DescribedEvent&)> place;
  std::function<std::string(std::string_view text, std::string_view code)> paint;
  bool shows_source = false;
  LaneStyle lanes = {};
};

// Everything between the headline and the commands.
std::string atomicity_body(const finding::Finding& finding, const AtomicityStyle& style);

}  // namespace foretell::report
