// Tiddle is also printed: what was read and printed must read back as the same events.
#include "fuzz/fuzz_reader.h"
#include "trace/tiddle/tiddle_reader.h"

using namespace foretell;

static void check_round_trip(std::string_view text) {
  auto first = parse_tiddle(text);
  if (!first) return;
  const std::string printed = print_tiddle(*first);
  auto second = parse_tiddle(printed);
  CHECK(second.has_value());
  CHECK(first->events == second->events);
  CHECK(print_tiddle(*second) == printed);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto reader = make_tiddle_reader(InputFile::from_memory(bytes, "input"));
  fuzz::read_and_normalize(*reader);
  check_round_trip(bytes);
  return 0;
}
