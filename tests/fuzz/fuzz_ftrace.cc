// SPDX-License-Identifier: Apache-2.0

// .ftrace files. A checksum stops most mutations at the door, so inputs whose first byte is odd say
// what is behind it instead, and are framed, compressed and sealed here:
//   u16 size of the definitions, u16 number of events, u8 size of every column, then all their
//   bytes.
#include <xxhash.h>
#include <zstd.h>

#include <string>

#include "fuzz/fuzz_reader.h"
#include "trace/ftrace/bytes.h"
#include "trace/ftrace/event_columns.h"
#include "trace/ftrace/ftrace_format.h"
#include "trace/ftrace/ftrace_reader.h"

using namespace foretell;
using namespace foretell::trace::ftrace;

namespace {

std::string compressed(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 1));
  return out;
}

class Input {
 public:
  explicit Input(std::string_view bytes) : bytes_(bytes) {}

  uint32_t number(size_t width) {
    uint32_t value = 0;
    for (size_t i = 0; i < width && !bytes_.empty(); ++i) {
      value |= uint32_t{static_cast<uint8_t>(bytes_.front())} << (8 * i);
      bytes_.remove_prefix(1);
    }
    return value;
  }
  std::string_view take(size_t size) {
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(taken.size());
    return taken;
  }

 private:
  std::string_view bytes_;
};

template <class Header>
std::string sealed(Header header) {
  header.checksum = XXH3_64bits(&header, offsetof(Header, checksum));
  return std::string(reinterpret_cast<const char*>(&header), sizeof header);
}

std::string framed(Input input) {
  FileHeader file{.version = kVersion, .size = sizeof(FileHeader)};
  std::memcpy(file.magic, kMagic, sizeof kMagic);

  const uint32_t definitions_size = input.number(2);
  ChunkHeader chunk{.marker = kChunkMarker, .event_count = input.number(2)};
  uint32_t sizes[kColumnCount];
  for (uint32_t& size : sizes) size = input.number(1);
  const std::string_view definitions = input.take(definitions_size);
  std::string head, columns;
  for (uint32_t size : sizes) {
    const std::string_view column = input.take(size);
    put_bytes(head, column.size(), 4);
    if (!column.empty()) columns += compressed(column);
    chunk.events_raw += static_cast<uint32_t>(column.size());
  }
  const std::string packed = definitions.empty() ? "" : compressed(definitions);
  const std::string events = chunk.event_count > 0 ? head + columns : "";
  if (events.empty()) chunk.events_raw = 0;
  chunk.definitions_size = static_cast<uint32_t>(packed.size());
  chunk.definitions_raw = static_cast<uint32_t>(definitions.size());
  chunk.events_size = static_cast<uint32_t>(events.size());
  chunk.definitions_checksum = XXH3_64bits(packed.data(), packed.size());
  chunk.events_checksum = XXH3_64bits(events.data(), events.size());
  return sealed(file) + sealed(chunk) + packed + events;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string file = data[0] & 1 ? framed(Input(bytes)) : std::string(bytes);
  auto reader = trace::make_ftrace_reader(InputFile::from_memory(file, "input"));
  if (reader) {
    fuzz::read_and_normalize(**reader);
  } else {
    fuzz::check_message(reader.error());
  }
  return 0;
}
