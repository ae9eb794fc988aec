// SPDX-License-Identifier: Apache-2.0

// `foretell explain`: what is behind a finding, in prose.
#pragma once

#include <string>
#include <vector>

#include "finding/result.h"
#include "pipeline/finding_context.h"
#include "pipeline/pair_order.h"
#include "trace/run_facts.h"

namespace foretell::report {

struct Explanation {
  finding::Finding finding;
  std::vector<pipeline::PairOpinion> opinions;  // races
  pipeline::FindingContext context;             // all other kinds
  std::vector<std::string> approximations;      // whole sentences
};

// What the trace does not say for certain.
std::vector<std::string> approximations_of(const trace::RunFacts& facts);

std::string explain_text(const Explanation& explanation);

}  // namespace foretell::report
