// SPDX-License-Identifier: Apache-2.0

// What the tests of recordings share: a recording in, its events as Tiddle text out.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "trace/recording/recording_reader.h"
#include "trace/run_facts_text.h"
#include "trace/stream.h"
#include "unit/trace/read_back.h"
#include "unit/trace/recording_builder.h"

namespace foretell::trace {

inline constexpr uint64_t kHeap = 0x7f0000001000;  // an address of no module

// The reader of a recording, with the bytes it reads.
class Recorded {
 public:
  explicit Recorded(std::string bytes) : bytes_(std::make_unique<std::string>(std::move(bytes))) {
    auto reader = make_recording_reader(InputFile::from_memory(*bytes_, "run.rec"));
    if (reader) {
      reader_ = std::move(*reader);
    } else {
      error_ = reader.error().to_text();
    }
  }
  explicit Recorded(const RecordingBuilder& builder) : Recorded(builder.bytes()) {}

  TraceReader& reader() { return *reader_; }
  const std::string& error() const { return error_; }
  // The events, read twice: a second pass must give the same.
  std::string text(size_t batch = kBatchSize) {
    if (!reader_) return error_;
    std::string first = read_back(*reader_, batch);
    reader_->rewind();
    EXPECT_EQ(read_back(*reader_, batch), first);
    reader_->rewind();
    return first;
  }
  std::string property(std::string_view key) {
    return std::string(to_properties(reader_->tables()).find(key).value_or("(none)"));
  }
  // What the normalizer has against the events; "" if nothing.
  std::string refusal() {
    auto stream = TraceStream::open(std::move(reader_));
    if (!stream) return stream.error().to_text();
    for (;;) {
      auto batch = stream->next();
      if (!batch) return batch.error().to_text();
      if (batch->empty()) break;
    }
    reader_ = std::move(*stream).take_reader();
    return "";
  }

 private:
  std::unique_ptr<std::string> bytes_;
  std::unique_ptr<TraceReader> reader_;
  std::string error_;
};

}  // namespace foretell::trace
