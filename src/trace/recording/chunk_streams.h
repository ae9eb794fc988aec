// SPDX-License-Identifier: Apache-2.0

// The streams of a recording (recording/file.h): which chunks belong to which, in what order,
// and where the records of each end.
//
// The body holds whole chunks with checksums; a wrong one is damage and an error. Slots hold what
// had not been drained when the program ended: chunks without checksum, of which open ones end
// where zeros begin. A chunk found in both counts once, from the body.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "recording/file.h"

namespace foretell::recording {

struct ChunkStream {
  uint64_t thread = 0;
  std::vector<uint64_t> offsets;  // of its chunks, in order
};

class ChunkStreams {
 public:
  // `file` must outlive the object.
  static Result<ChunkStreams> find(std::string_view file);

  const FileHeader& header() const { return header_; }
  // Streams of records: one if controlled, one per thread (in order of their numbers) if parallel.
  const std::vector<ChunkStream>& events() const { return events_; }
  const std::vector<uint64_t>& modules() const { return modules_; }

  // Whether the records of the chunk at `offset` end where zeros begin.
  bool is_open(uint64_t offset) const { return header_at(offset).used == 0; }
  // How many bytes of records the payload decodes to (recording/model.h); 0 if it is not encoded.
  uint32_t decoded_size(uint64_t offset) const { return header_at(offset).decoded; }
  // The payload of the chunk at `offset`. Checks it.
  Result<std::string_view> payload(uint64_t offset) const;

 private:
  // By thread and ordinal: where the chunk is.
  using Found = std::map<uint64_t, std::map<uint64_t, uint64_t>>;

  Result<void> list_body(Found& found);
  Result<void> list_slots(Found& found);
  Result<void> order_chunks(const Found& found);
  ChunkHeader header_at(uint64_t offset) const;
  bool in_window(uint64_t offset) const;

  std::string_view file_;
  FileHeader header_{};
  std::vector<ChunkStream> events_;
  std::vector<uint64_t> modules_;
};

// The header of a recording, checked for magic and version.
Result<FileHeader> header_of(std::string_view file);

}  // namespace foretell::recording
