// RecordCursor: the records of one stream, each with its extensions, from chunk to chunk.
#pragma once

#include <cstdint>
#include <cstring>

#include "base/diagnostic.h"
#include "trace/recording/chunk_streams.h"

namespace foretell::recording {

class RecordCursor {
 public:
  RecordCursor(const ChunkStreams& streams, const ChunkStream& stream)
      : streams_(&streams), stream_(&stream) {}

  enum class Next : uint8_t { record, end, failed };

  // The next record and its extensions. A record whose extensions the program did not live to write
  // is the end.
  Next next(Record& record, uint64_t (&extensions)[2]) {
    if (at_ == end_ && !next_chunk()) [[unlikely]]
      return failed_ ? Next::failed : Next::end;
    std::memcpy(&record, at_, sizeof record);
    const auto op = static_cast<size_t>(record.op());
    if (op - 1 >= kOpCount - 1 || kExtensions[op] != 0) [[unlikely]]
      return next_odd(record, extensions);
    at_ += sizeof record;
    return Next::record;
  }

  // Why next() failed.
  const Diagnostic& error() const { return error_; }
  // Offset of the chunk being read; nothing before it in this stream is needed again.
  uint64_t chunk_offset() const { return chunk_offset_; }

 private:
  [[gnu::noinline]] bool next_chunk();
  [[gnu::noinline]] Next next_odd(Record& record, uint64_t (&extensions)[2]);
  Next fail_with(Diagnostic error);

  const ChunkStreams* streams_;
  const ChunkStream* stream_;
  size_t chunks_ = 0;  // begun
  uint64_t chunk_offset_ = 0;
  const char* begin_ = nullptr;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  bool failed_ = false;
  Diagnostic error_;
};

}  // namespace foretell::recording
