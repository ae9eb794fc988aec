#include "trace/recording/record_cursor.h"

#include <algorithm>

namespace foretell::recording {

bool RecordCursor::next_chunk() {
  while (at_ == end_) {
    if (failed_ || chunks_ == stream_->offsets.size()) return false;
    chunk_offset_ = stream_->offsets[chunks_++];
    auto payload = streams_->payload(chunk_offset_);
    if (!payload) {
      error_ = std::move(payload).error();
      failed_ = true;
      return false;
    }
    begin_ = at_ = payload->data();
    end_ = at_ + payload->size();
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
