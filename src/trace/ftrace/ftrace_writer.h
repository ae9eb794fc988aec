// SPDX-License-Identifier: Apache-2.0

// FtraceWriter: streams raw events into an .ftrace file (layout: trace/ftrace/ftrace_format.h).
//
// Memory is bounded by one chunk and 24 bytes of index for each chunk written. Each chunk goes out
// with one write, so whatever ends the writer (a full disk, a closed pipe, SIGKILL), the file stays
// readable up to its last whole chunk.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "trace/event.h"
#include "trace/ftrace/definitions.h"
#include "trace/ftrace/event_encoder.h"
#include "trace/ftrace/ftrace_format.h"
#include "trace/tables.h"

struct ZSTD_CCtx_s;

namespace foretell::trace {

class FtraceWriter {
 public:
  // Replaces the file at `path`.
  static Result<std::unique_ptr<FtraceWriter>> create(const std::string& path);
  // Takes over `fd`, which may be a pipe; `name` is what messages call it. A closed pipe is an
  // error only if SIGPIPE is ignored, and otherwise ends the process.
  static Result<std::unique_ptr<FtraceWriter>> create(int fd, std::string name);

  FtraceWriter(const FtraceWriter&) = delete;
  FtraceWriter& operator=(const FtraceWriter&) = delete;
  // Without close() the events of the unfinished chunk and the index are not written.
  ~FtraceWriter();

  // Appends raw events; Event::index is implied by their order. `tables` must be the same at every
  // call, grown or not, and hold every id of `raw`. After a failure every call fails alike.
  Result<void> write(std::span<const Event> raw, const TraceTables& tables);

  // Writes the rest, index and footer, and closes the file.
  Result<void> close();

  uint64_t event_count() const { return flushed_events_ + encoder_.count(); }
  uint64_t byte_count() const { return offset_; }

 private:
  FtraceWriter(int fd, std::string name);

  Result<void> write_header();
  Result<void> write_new(std::span<const Event> raw, const TraceTables& tables);
  Result<void> flush_chunk();
  Result<void> write_index();
  Result<void> compress(std::string_view bytes);
  Result<void> put(std::string_view bytes);
  Diagnostic io_failure(int error) const;

  struct FreeContext {
    void operator()(ZSTD_CCtx_s* context) const;
  };

  int fd_;
  std::string name_;
  uint64_t offset_ = 0;
  uint64_t flushed_events_ = 0;
  bool failed_ = false;
  Diagnostic failure_;
  ftrace::EventEncoder encoder_;
  ftrace::DefinitionEncoder definitions_;
  std::vector<ftrace::IndexEntry> index_;
  std::unique_ptr<ZSTD_CCtx_s, FreeContext> zstd_;
  std::string chunk_;  // the chunk being assembled
};

}  // namespace foretell::trace
