// SPDX-License-Identifier: Apache-2.0

// Tiddle is also printed: what was read and printed must read back as the same events.
#include <string>

#include "fuzz/fuzz_reader.h"
#include "trace/tiddle/tiddle_reader.h"

using namespace foretell;

static std::string print(const std::vector<trace::Event>& events,
                         const trace::TraceTables& tables) {
  std::string text;
  for (const trace::Event& e : events) print_tiddle_event(e, tables, text);
  return text;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto reader = trace::make_tiddle_reader(InputFile::from_memory(bytes, "input"));
  const fuzz::EventsRead read = fuzz::read_and_normalize(*reader);
  if (!read.whole) return 0;

  const std::string printed = print(read.events, reader->tables());
  const auto again = trace::make_tiddle_reader(InputFile::from_memory(printed, "printed"));
  CHECK(fuzz::read_events(*again) == read);
  CHECK(print(read.events, again->tables()) == printed);
  return 0;
}
