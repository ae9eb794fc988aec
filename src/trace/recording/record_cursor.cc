// SPDX-License-Identifier: Apache-2.0

#include "trace/recording/record_cursor.h"

#include <algorithm>
#include <new>

namespace foretell::recording {

Result<std::span<const char>> RecordCursor::records() {
  FORETELL_TRY(payload, streams_->payload(chunk_offset_));
  const uint32_t size = streams_->decoded_size(chunk_offset_);
  if (size == 0) return std::span(payload);
  if (!decoder_) {
    decoder_.reset(static_cast<Decoder*>(std::calloc(1, sizeof(Decoder))));
    if (!decoder_) throw std::bad_alloc();
  }
  decoded_.resize(size_t{size} + Decoder::kSlack);
  if (decoder_->decode(payload.data(), payload.size(), site_ops_.data(), site_ops_.size(),
                       decoded_.data(), size) != size) {
    return fail("the chunk at offset {} is damaged: its records cannot be decoded", chunk_offset_);
  }
  return std::span(decoded_).first(size);
}

bool RecordCursor::next_chunk() {
  while (at_ == end_) {
    if (failed_ || chunks_ == stream_->offsets.size()) return false;
    chunk_offset_ = stream_->offsets[chunks_++];
    auto found = records();
    if (!found) {
      error_ = std::move(found).error();
      failed_ = true;
      return false;
    }
    begin_ = at_ = found->data();
    end_ = at_ + found->size();
    open_ = streams_->is_open(chunk_offset_);
  }
  return true;
}

// No record could be read at at_. In an open chunk that is where the program had come to.
bool RecordCursor::end_chunk() {
  const size_t left = std::min<size_t>(static_cast<size_t>(end_ - at_), 8);
  const bool zero = std::all_of(at_, at_ + left, [](char byte) { return byte == 0; });
  if (left > 0 && !(open_ && zero)) {
    error_ = {
        fmt::format("the chunk at offset {} is malformed: no record at byte {} of it",
                    chunk_offset_, at_ - begin_ + static_cast<ptrdiff_t>(sizeof(ChunkHeader))),
        ""};
    failed_ = true;
  }
  at_ = end_;
  return !failed_;
}

}  // namespace foretell::recording
