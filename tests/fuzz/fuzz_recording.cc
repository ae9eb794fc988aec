// SPDX-License-Identifier: Apache-2.0

// The input is a recording without the padding between its header and its first chunk, so that
// libFuzzer spends its bytes on what is read. Chunks get the checksum of what they have become:
// whoever damages a file can do the same, and what is behind the checksum must bear anything.
#include <cstring>
#include <string>
#include <vector>

#include "fuzz/fuzz_reader.h"
#include "recording/file.h"
#include "trace/recording/recording_reader.h"

namespace {

using namespace foretell;

void sum_chunks(std::string& file) {
  recording::ChunkHeader chunk;
  for (size_t at = recording::kHeaderSize; at + sizeof chunk <= file.size();) {
    std::memcpy(&chunk, file.data() + at, sizeof chunk);
    const size_t payload = at + sizeof chunk;
    const size_t size = (size_t{chunk.used} + 7) / 8 * 8;
    if (chunk.marker != recording::kChunkMarker || size > file.size() - payload) return;
    if (size > 0) {
      std::vector<uint64_t> aligned(size / 8);
      std::memcpy(aligned.data(), file.data() + payload, size);
      chunk.checksum = recording::checksum(aligned.data(), size);
      std::memcpy(file.data() + at, &chunk, sizeof chunk);
    }
    at = payload + size;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string file(reinterpret_cast<const char*>(data), size);
  if (size > sizeof(recording::FileHeader)) {
    file.insert(sizeof(recording::FileHeader),
                recording::kHeaderSize - sizeof(recording::FileHeader), '\0');
    sum_chunks(file);
  }
  auto reader = trace::make_recording_reader(InputFile::from_memory(file, "input"));
  if (!reader) {
    fuzz::check_message(reader.error());
    return 0;
  }
  fuzz::read_and_normalize(**reader);
  return 0;
}
