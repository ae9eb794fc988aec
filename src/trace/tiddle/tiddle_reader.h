// SPDX-License-Identifier: Apache-2.0

// Reader of Tiddle text (PREDICT, chapter 24), extended to every event kind.
//
// The grammar of figure 24.1 is read as it stands: operations are separated by white space of any
// kind, threads are integers, values follow variables. Beyond it:
//   - every row of trace/event.def is an operation, with the operands listed at Operands;
//   - threads and all other names are any word, or a quoted string with \" \\ \n \t \r \xNN escapes;
//   - `name+OFFSET:SIZE` and `0xADDRESS:SIZE` name a range of bytes;
//   - `@file:line:column`, `in=FUNCTION`, `as=EXPRESSION` after an operation give its site;
//   - `statement @SITE scope @SITE... uses @SITE... changes LOCATION...`, on a line of its own, says
//     what is known of the code at a site (trace/statement_facts.h);
//   - `vrd` and `vwr` are sequentially consistent atomics (Java's volatile);
//   - `//`, or `#` not followed by a digit, begins a comment.
// A word, and all arguments of a user event together, have at most 1 MiB.
// docs/trace-format.md has the whole grammar with examples.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trace/reader.h"
#include "trace/trace.h"

namespace foretell::trace {

std::unique_ptr<TraceReader> make_tiddle_reader(InputFile file);

// A whole text as a raw trace.
Result<Trace> parse_tiddle(std::string_view text, std::string name = "<tiddle>");

// The text of a raw trace, facts about statements first; parse_tiddle(print_tiddle(t)) has the same events, unless a name of more
// than half a MiB grows too long by its escapes.
std::string print_tiddle(const Trace& raw);
void print_tiddle_statements(const TraceTables& tables, std::string& out);
void print_tiddle_event(const Event& raw, const TraceTables& tables, std::string& out);

}  // namespace foretell::trace
