// RecordCursor: the records of one stream, from chunk to chunk.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/diagnostic.h"
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
    if (ready_ == 0 && !decode()) [[unlikely]]
      return failed_ ? Next::failed : Next::end;
    record = decoded_[first_];
    extensions[0] = record.extensions()[0];
    extensions[1] = record.extensions()[1];
    first_ = (first_ + 1) % kAhead;
    ready_--;
    if (at_ != end_) decode_one();
    return Next::record;
  }

<<<<<<< HEAD
  // A record that comes soon; an arbitrary one near the end of a chunk.
  const Record& peek() const { return decoded_[(first_ + kAhead - 1) % kAhead]; }

=======
>>>>>>> reader
  // Why next() failed.
  const Diagnostic& error() const { return error_; }
  // Offset of the chunk being read; nothing before it in this stream is needed again.
  uint64_t chunk_offset() const { return chunk_offset_; }

 private:
  static constexpr size_t kAhead = 16;

  [[gnu::noinline]] bool decode();
  [[gnu::noinline]] bool next_chunk();
  [[gnu::noinline]] void end_chunk();

  void decode_one() {
    const size_t size =
        decoded_[(first_ + ready_) % kAhead].read(at_, end_, site_ops_.data(), site_ops_.size());
    if (size == 0) [[unlikely]]
      return end_chunk();
    at_ += size;
    ready_++;
  }

  const ChunkStreams* streams_;
  const ChunkStream* stream_;
  std::span<const uint8_t> site_ops_;
  std::array<Record, kAhead> decoded_;
  size_t first_ = 0;   // of decoded_
  size_t ready_ = 0;   // how many of decoded_ are still to be given
  size_t chunks_ = 0;  // begun
  uint64_t chunk_offset_ = 0;
  bool open_ = false;  // the chunk ends where zeros begin
  const char* begin_ = nullptr;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  bool failed_ = false;
  Diagnostic error_;
};

}  // namespace foretell::recording
