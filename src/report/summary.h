// SPDX-License-Identifier: Apache-2.0

// Findings and their events in one sentence each, and the words that all reports share.
#pragma once

#include <string>

#include "finding/result.h"

namespace foretell::report {

// "data race on 'account.balance'".
std::string headline_of(const finding::Finding& finding);

// With the functions it is in, but no position: "data race on 'account.balance' in deposit, audit".
std::string summary_of(const finding::Finding& finding);

// What one event of a finding does there: "T1 'teller' writes 'account.balance'", "T2 waits for
// 'm'".
std::string doing_text(const finding::Finding& finding, const finding::DescribedEvent& event);

// The same with the locks it has: "T1 'teller' writes account.balance, holding 'm'",
// "T2 waits for 'm', holding 'n'".
std::string event_sentence(const finding::Finding& finding, const finding::DescribedEvent& event);

// The tests it was found in, the first few by name: "bank_test (Deposit.Twice), audit_test".
std::string tests_text(const finding::Finding& finding);
// Not a test: one of many runs of one program, "run 7".
bool is_run_of_many(const finding::SeenIn& seen);

// What a step does: "lock account.lock", "write account.balance".
std::string step_text(const finding::DescribedEvent& step);

// The variable of a finding as the source writes it, else the location's name.
// "worker at race.cpp:20:5, main at race.cpp:31:3": the callers of an event's function, without
// those of libraries and at most `most`; empty if there are none or they are not known.
std::string callers_text(const finding::DescribedEvent& event, size_t most);

std::string object_of(const finding::Finding& finding);

// "written", "locked".
std::string participle(const finding::DescribedEvent& event);

std::string thread_text(const finding::DescribedEvent& event);

// "holding 'm', 'n' (shared)", "holding no lock".
std::string holding_text(const finding::DescribedEvent& event);

// A descriptor that is used or closed; in the trace it is a byte of memory.
bool is_descriptor(const finding::DescribedEvent& event);
// It ends the life of a lock, condition, ...
bool is_destruction(const finding::DescribedEvent& event);

}  // namespace foretell::report
