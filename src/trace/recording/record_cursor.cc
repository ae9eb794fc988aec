#include "trace/recording/record_cursor.h"

namespace foretell::recording {

RecordCursor::Next RecordCursor::fail_with(Diagnostic error) {
  error_ = std::move(error);
  failed_ = true;
  at_ = end_ = nullptr;
  chunks_ = stream_->offsets.size();
  return Next::failed;
}

bool RecordCursor::next_chunk() {
  while (at_ == end_) {
    if (chunks_ == stream_->offsets.size()) return false;
    chunk_offset_ = stream_->offsets[chunks_++];
    auto payload = streams_->payload(chunk_offset_);
    if (!payload) {
      fail_with(std::move(payload).error());
      return false;
    }
    begin_ = at_ = payload->data();
    end_ = at_ + payload->size() / sizeof(Record) * sizeof(Record);
  }
  return true;
}

RecordCursor::Next RecordCursor::next_odd(Record& record, uint64_t (&extensions)[2]) {
  auto malformed = [&](std::string_view what) {
    return fail_with({fmt::format("the chunk at offset {} is malformed: {} at byte {} of it",
                                  chunk_offset_, what, at_ - begin_ + sizeof(ChunkHeader)),
                      ""});
  };
  // The zero record: the rest of an open chunk was never written.
  while (record.op() == Op::None) {
    if (record.word1 != 0) return malformed("a record without an operation");
    at_ = end_;
    if (!next_chunk()) return failed_ ? Next::failed : Next::end;
    std::memcpy(&record, at_, sizeof record);
  }
  const auto op = static_cast<size_t>(record.op());
  if (op >= kOpCount) return malformed(fmt::format("unknown operation {}", op));
  if (record.op() == Op::Extension) return malformed("an extension that belongs to nothing");
  at_ += sizeof record;
  for (size_t i = 0; i < kExtensions[op]; ++i) {
    Record extension{};
    while (extension.word1 == 0) {
      if (at_ == end_ && !next_chunk()) return failed_ ? Next::failed : Next::end;
      std::memcpy(&extension, at_, sizeof extension);
      if (extension.word1 == 0) at_ = end_;
    }
    if (extension.op() != Op::Extension) return malformed("a record that lacks its extension");
    extensions[i] = extension.word0;
    at_ += sizeof extension;
  }
  return Next::record;
}

}  // namespace foretell::recording
