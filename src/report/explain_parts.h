// SPDX-License-Identifier: Apache-2.0

// Paragraphs of `foretell explain` that differ from kind to kind.
#pragma once

#include <string>

#include "finding/result.h"

namespace foretell::report {

// "bank.cc:8:3", or "event 17" where the trace has no sites.
std::string at(const finding::DescribedEvent& e);

// "holds 'm' since bank.cc:8:3, 'n' (shared)", "holds no lock".
std::string locks_text(const finding::DescribedEvent& e);

// Which locks are held, which threads wait for each other, what comes in between: sections, each
// with its heading. Not for races.
std::string circumstances_text(const finding::Finding& finding);

// What the recorded run did, if there is no order of two events to describe.
std::string unwatched_text(const finding::Finding& finding);

// What the verdict takes for granted; empty if nothing.
std::string assumption_text(const finding::Finding& finding);

// A sentence: how a program has to be for this to be impossible.
std::string ruled_out_text(const finding::Finding& finding);

}  // namespace foretell::report
