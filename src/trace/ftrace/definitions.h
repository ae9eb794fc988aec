// SPDX-License-Identifier: Apache-2.0

// The rows of the tables as bytes, and back (the layout is in trace/ftrace/ftrace_format.h).
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "trace/ftrace/ftrace_format.h"
#include "trace/tables.h"

namespace foretell::trace::ftrace {

// Remembers which rows were written.
class DefinitionEncoder {
 public:
  // Appends the rows that are new in `tables` to bytes(). Calls `flush` whenever bytes() is as
  // large as a chunk should have; flush must empty it with clear().
  Result<void> add_new_rows(const TraceTables& tables, const std::function<Result<void>()>& flush);

  const std::string& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  template <class Table, class PutRow>
  Result<void> add_rows(TableTag tag, const Table& table,
                        const std::function<Result<void>()>& flush, PutRow put_row);

  Result<void> add_facts(const TraceTables& tables, const std::function<Result<void>()>& flush);

  // The empty string has its id in every TraceTables and is not written.
  std::array<size_t, kTableCount> written_ = {1};
  std::string bytes_;
  std::string rows_;
  uint64_t last_offset_ = 0;  // of the location before, in the section
  RunFacts facts_;            // as last written
  Properties properties_;     // the same
};

// Appends the rows in `bytes` to `tables`, and the properties to `properties`.
Result<void> load_definitions(std::string_view bytes, TraceTables& tables, Properties& properties);

}  // namespace foretell::trace::ftrace
