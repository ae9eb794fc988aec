// SPDX-License-Identifier: Apache-2.0

// RecordCursor: the records of one stream, from chunk to chunk.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "base/diagnostic.h"
#include "recording/decoder.h"
#include "recording/record.h"
#include "trace/recording/chunk_streams.h"

namespace foretell::recording {

class RecordCursor {
 public:
  // `site_ops` holds the op of each site (Modules::site_ops).
  RecordCursor(const ChunkStreams& streams, const ChunkStream& stream,
               std::span<const uint8_t> site_ops)
      : streams_(&streams), stream_(&stream), site_ops_(site_ops) {}

  enum class Next : uint8_t { record, end, failed };

  // The next record and its extensions.
  Next next(Record& record, uint64_t (&extensions)[2]) {
    size_t size = 0;
    while ((size = record.read(at_, end_, site_ops_.data(), site_ops_.size())) == 0) [[unlikely]] {
      if (!end_chunk() || !next_chunk()) return failed_ ? Next::failed : Next::end;
    }
    at_ += size;
    extensions[0] = record.extensions()[0];
    extensions[1] = record.extensions()[1];
    return Next::record;
  }

  // Why next() failed.
  const Diagnostic& error() const { return error_; }
  // Offset of the chunk being read; nothing before it in this stream is needed again.
  uint64_t chunk_offset() const { return chunk_offset_; }

 private:
  // Begins the next chunk that has a record; false if there is none.
  [[gnu::noinline]] bool next_chunk();
  // False if what stands at at_ is neither a record nor the end.
  [[gnu::noinline]] bool end_chunk();
  // The records of the chunk being begun, decoded if need be.
  Result<std::span<const char>> records();

  // Most of a decoder's memory is never touched, so it must come zeroed from the system.
  struct Free {
    void operator()(Decoder* decoder) const { std::free(decoder); }
  };

  const ChunkStreams* streams_;
  const ChunkStream* stream_;
  std::span<const uint8_t> site_ops_;
  size_t chunks_ = 0;  // begun
  uint64_t chunk_offset_ = 0;
  bool open_ = false;                       // the chunk ends where zeros begin
  std::unique_ptr<Decoder, Free> decoder_;  // from the first encoded chunk on
  std::vector<char> decoded_;
  const char* begin_ = nullptr;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  bool failed_ = false;
  Diagnostic error_;
};

}  // namespace foretell::recording
