// The streams of a recording (runtime/recording.h): which chunks belong to which, in what order,
// and where the records of each end.
//
// A killed program leaves its last chunks open, and what was in flight torn: an open chunk ends at
// its first zero record. A finished chunk carries a checksum. If it is wrong, the file is damaged
// and reading it is an error, except in the last chunk of a stream, where the program may have died
// between finishing and writing: that one is read like an open one, and the user is told.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "runtime/recording.h"

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
  const ChunkStream& modules() const { return modules_; }
  // Offsets of last chunks that are torn.
  const std::vector<uint64_t>& torn() const { return torn_; }

  // The payload of the chunk at `offset`, which is as long as its stream is good for. Checks it.
  Result<std::string_view> payload(uint64_t offset) const;

 private:
  Result<void> read_header();
  Result<void> list_chunks();
  Result<void> order_chunks(ChunkStream& stream);
  ChunkHeader header_at(uint64_t offset) const;
  Result<std::string_view> checked(uint64_t offset) const;

  std::string_view file_;
  FileHeader header_{};
  std::vector<ChunkStream> events_;
  ChunkStream modules_;
  std::vector<uint64_t> torn_;
};

// The header of a recording, checked for magic and version.
Result<FileHeader> header_of(std::string_view file);

}  // namespace foretell::recording
