// SPDX-License-Identifier: Apache-2.0

// Whatever parses prints to a text that parses to the same schedule.
#include <cstdint>

#include "base/check.h"
#include "schedule/schedule.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto schedule =
      foretell::schedule::parse_schedule({reinterpret_cast<const char*>(data), size}, "input");
  if (!schedule) return 0;
  const auto again = foretell::schedule::parse_schedule(schedule->to_string());
  CHECK(again && *again == *schedule);
  const auto from_file = foretell::schedule::parse_schedule(schedule->to_file("comment"));
  CHECK(from_file && *from_file == *schedule);
  return 0;
}
