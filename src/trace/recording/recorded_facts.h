// SPDX-License-Identifier: Apache-2.0

// The facts of a recorded run (trace/run_facts.h), from its header and from what was seen in its
// records.
#pragma once

#include "trace/recording/facts.h"
#include "trace/recording/modules.h"
#include "trace/recording/translator.h"
#include "trace/run_facts.h"

namespace foretell::recording {

// What the header says, known before the first event.
void set_header_facts(const trace::RecordingFacts& recording, const Modules& modules,
                      trace::RunFacts& facts);

// What the records say, known after the last event.
void set_seen_facts(const Translator& translator, const trace::TraceTables& tables,
                    trace::RunFacts& facts);

}  // namespace foretell::recording
