// SPDX-License-Identifier: Apache-2.0

// The third demand on reads: what is out of reach while reads keep their writers or their values is
// judged once more without the reads that it does not depend on (judge/free_reads.h).
//
// This is as right as the facts about the code are. Findings that need it stay possible until the
// program has shown them, and their reason names the reads.
#pragma once

#include <vector>

#include "pipeline/judging.h"
#include "trace/statement_facts.h"

namespace foretell::pipeline {

// `contained`: trace/contained_statements.h. Races and deadlocks of `rulings` that are refuted and have a witness with free reads get it.
void judge_free_reads(const trace::Trace& trace, std::vector<Ruling>& rulings,
                      const std::vector<trace::StatementFacts>& statements,
                      const std::vector<SiteId>& contained, const JudgingOptions& options);

}  // namespace foretell::pipeline
