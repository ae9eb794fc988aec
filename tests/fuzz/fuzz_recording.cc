// The input is a recording without the padding between its header and its first chunk, so that
// libFuzzer spends its bytes on what is read.
#include <string>

#include "fuzz/fuzz_reader.h"
#include "runtime/recording.h"
#include "trace/recording/recording_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace foretell;
  std::string file(reinterpret_cast<const char*>(data), size);
  if (size > sizeof(recording::FileHeader)) {
    file.insert(sizeof(recording::FileHeader),
                recording::kHeaderSize - sizeof(recording::FileHeader), '\0');
  }
  auto reader = make_recording_reader(InputFile::from_memory(file, "input"));
  if (!reader) {
    fuzz::check_message(reader.error());
    return 0;
  }
  fuzz::read_and_normalize(**reader);
  return 0;
}
