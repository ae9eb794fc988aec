// SPDX-License-Identifier: Apache-2.0

// What the judge must reach to show a proposal, by kind of finding.
#pragma once

#include <vector>

#include "finding/finding.h"
#include "judge/judge.h"

namespace foretell::pipeline {

// Where an event of the proposal is in the trace. An access may be several events, one for each cell.
judge::Position position_of(const trace::Trace& trace, const finding::Proposal& proposal,
                            const finding::EventRef& e);

// Reaching one of them is enough; the one that shows most comes first.
std::vector<judge::Goal> goals_of(const judge::Judge& judge, const finding::Proposal& proposal);

}  // namespace foretell::pipeline
