// SPDX-License-Identifier: Apache-2.0

// TextValues: the events of a recording as a text trace can say them.
//
// In a recording a read may return what no recorded write has stored, because code that was not
// instrumented writes memory too (the property unrecorded_writes). A text trace has no properties:
// there such a read is an error. So it is printed without its value, and so is every later read
// that the last recorded write contradicts. What is printed can be read again.
#pragma once

#include <vector>

#include "trace/normalizer.h"
#include "trace/trace.h"

namespace foretell::trace {

class TextValues {
 public:
  // `tables` must hold every name and location of the trace.
  explicit TextValues(const TraceTables& tables);

  // The next raw event of the trace, without a value that text could not have.
  Event next(Event raw);

 private:
  TraceTables tables_;  // as text has them: without properties
  Normalizer normalizer_;
  std::vector<Event> normal_;
};

// Whether the text of a trace may differ from it, so that its events have to go through TextValues.
inline bool needs_text_values(const TraceTables& tables) {
  return tables.facts.has_unrecorded_writes;
}

// The same for a whole raw trace.
void make_printable(Trace& raw);

}  // namespace foretell::trace
