// SPDX-License-Identifier: Apache-2.0

// The events of a trace as columns that a page can carry: a few bytes an event.
//
//   strings  every name, once
//   sites    [file, line, column, function, expression] as numbers of strings and files
//   objects  [name]: locations, locks, threads, ... each with its own number, since two of them may
//            have one name
//   steps    what events have in common: thread, kind, memory order, flags, object, detail, site.
//            A loop of a thousand rounds has a handful of steps.
//   events   for each kept event (a row): how many events before it are not kept, its step, values
//   edges    happens-before between threads, by rows: the distance to the row of the edge before,
//            how far back it comes from, its kind
// docs/html-report.md has the exact form ("The data in the page").
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "report/html/kept_events.h"

namespace foretell::report::html {

using Json = nlohmann::ordered_json;

struct TraceColumns {
  Json json;                   // the columns, as above
  std::vector<uint64_t> rows;  // index of each row
  // Files of the sites, with the lines that rows stand in.
  struct File {
    std::string path;
    std::vector<uint32_t> lines;
  };
  std::vector<File> files;

  // Of the event with the index, or of the next kept one.
  uint64_t row_at(uint64_t index) const;
  bool has_row(uint64_t index) const;
};

// Reads the stream from its beginning to its end.
Result<TraceColumns> write_columns(trace::TraceStream& stream, const KeptEvents& kept,
                                   uint64_t events);

}  // namespace foretell::report::html
