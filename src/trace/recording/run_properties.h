// The properties of a recorded run (docs/trace-format.md lists them), from its header and from what
// was seen in its records.
#pragma once

#include <string_view>

#include "trace/properties.h"
#include "trace/recording/facts.h"
#include "trace/recording/modules.h"
#include "trace/recording/translator.h"

namespace foretell::recording {

// What the header says, known before the first event.
void set_header_properties(const RecordingFacts& facts, const Modules& modules,
                           Properties& properties);

// What the records say, known after the last event.
void set_seen_properties(const Translator& translator, const TraceTables& tables,
                         Properties& properties);

}  // namespace foretell::recording
