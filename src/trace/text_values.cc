// SPDX-License-Identifier: Apache-2.0

#include "trace/text_values.h"

namespace foretell::trace {

namespace {

TraceTables without_facts(TraceTables tables) {
  tables.facts = {};
  return tables;
}

}  // namespace

TextValues::TextValues(const TraceTables& tables)
    : tables_(without_facts(tables)), normalizer_(tables_, std::make_unique<CellMap>(tables_)) {}

Event TextValues::next(Event raw) {
  normal_.clear();
  if (normalizer_.run({&raw, 1}, normal_) || !is_read(raw.kind)) return raw;
  // The text of a read-modify-write has both values or none.
  Event without = raw;
  without.flags &= static_cast<uint16_t>(~(Event::kHasValue | Event::kHasReadValue));
  without.value = without.extra = 0;
  normal_.clear();
  // A trace that is no run for another reason is printed as it is.
  return normalizer_.run({&without, 1}, normal_) ? without : raw;
}

void make_printable(Trace& raw) {
  if (!needs_text_values(raw.tables)) return;
  TextValues values(raw.tables);
  for (Event& e : raw.events) e = values.next(e);
}

}  // namespace foretell::trace
