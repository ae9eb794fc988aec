// SPDX-License-Identifier: Apache-2.0

// Detection, then the reader it chose. The first byte of the input chooses the file's name.
#include "fuzz/fuzz_reader.h"
#include "trace/open.h"

using namespace foretell;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  auto reader =
      trace::open_trace(InputFile::from_memory(bytes, data[0] & 1 ? "input.data" : "input"), {});
  if (reader) {
    fuzz::read_and_normalize(**reader);
  } else {
    fuzz::check_message(reader.error());
  }
  return 0;
}
