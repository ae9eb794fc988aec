// SPDX-License-Identifier: Apache-2.0

#include "trace/ftrace/ftrace_writer.h"

#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include <cerrno>
#include <utility>

#include "base/check.h"
#include "trace/ftrace/bytes.h"

namespace foretell::trace {

using namespace ftrace;

namespace {

// Higher levels gain little on columns and cost the writer dearly (bench/bench_trace).
constexpr int kCompressionLevel = 1;

template <class Struct>
std::string_view bytes_of(const Struct& data) {
  return {reinterpret_cast<const char*>(&data), sizeof data};
}

// Fills the last field of a header, its own checksum.
template <class Header>
void seal(Header& header) {
  header.checksum = XXH3_64bits(&header, offsetof(Header, checksum));
}

}  // namespace

void FtraceWriter::FreeContext::operator()(ZSTD_CCtx_s* context) const {
  ZSTD_freeCCtx(context);
}

Result<std::unique_ptr<FtraceWriter>> FtraceWriter::create(const std::string& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) {
    auto error = fail("cannot write {}: {}", path, std::strerror(errno));
    error.error().exit_code = ExitCode::io_error;
    return error;
  }
  return create(fd, path);
}

Result<std::unique_ptr<FtraceWriter>> FtraceWriter::create(int fd, std::string name) {
  std::unique_ptr<FtraceWriter> writer(new FtraceWriter(fd, std::move(name)));
  if (auto done = writer->write_header(); !done) return std::unexpected(std::move(done).error());
  return writer;
}

FtraceWriter::FtraceWriter(int fd, std::string name)
    : fd_(fd), name_(std::move(name)), zstd_(ZSTD_createCCtx()) {
  CHECK(zstd_ != nullptr);
  ZSTD_CCtx_setParameter(zstd_.get(), ZSTD_c_compressionLevel, kCompressionLevel);
}

FtraceWriter::~FtraceWriter() {
  if (fd_ >= 0) ::close(fd_);
}

Result<void> FtraceWriter::write_header() {
  FileHeader header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.version = kVersion;
  header.size = sizeof header;
  seal(header);
  return put(bytes_of(header));
}

Result<void> FtraceWriter::write(std::span<const Event> raw, const TraceTables& tables) {
  CHECK(fd_ >= 0);
  if (failed_) return std::unexpected(failure_);
  auto done = write_new(raw, tables);
  if (!done) {
    failed_ = true;
    failure_ = done.error();
  }
  return done;
}

Result<void> FtraceWriter::write_new(std::span<const Event> raw, const TraceTables& tables) {
  auto rows = definitions_.add_new_rows(tables, [this] { return flush_chunk(); });
  if (!rows) return rows;
  for (const Event& e : raw) {
    if (encoder_.add(e)) continue;
    if (auto done = flush_chunk(); !done) return done;
    CHECK(encoder_.add(e));
  }
  return {};
}

Result<void> FtraceWriter::compress(std::string_view bytes) {
  const size_t before = chunk_.size();
  chunk_.resize(before + ZSTD_compressBound(bytes.size()));
  const size_t size = ZSTD_compress2(zstd_.get(), chunk_.data() + before, chunk_.size() - before,
                                     bytes.data(), bytes.size());
  if (ZSTD_isError(size)) return fail("cannot compress: {}", ZSTD_getErrorName(size));
  chunk_.resize(before + size);
  return {};
}

Result<void> FtraceWriter::flush_chunk() {
  if (encoder_.count() == 0 && definitions_.bytes().empty()) return {};
  encoder_.finish();
  ChunkHeader header{.marker = kChunkMarker,
                     .event_count = encoder_.count(),
                     .first_event = flushed_events_,
                     .definitions_raw = static_cast<uint32_t>(definitions_.bytes().size())};
  chunk_.assign(sizeof header, '\0');
  if (header.definitions_raw > 0) {
    if (auto done = compress(definitions_.bytes()); !done) return done;
    header.definitions_size = static_cast<uint32_t>(chunk_.size() - sizeof header);
  }
  const size_t events_at = chunk_.size();
  if (header.event_count > 0) {
    for (size_t i = 0; i < kColumnCount; ++i) {
      put_bytes(chunk_, encoder_.column(i).size(), 4);
      header.events_raw += static_cast<uint32_t>(encoder_.column(i).size());
    }
    for (size_t i = 0; i < kColumnCount; ++i) {
      if (encoder_.column(i).empty()) continue;
      if (auto done = compress(encoder_.column(i)); !done) return done;
    }
    header.events_size = static_cast<uint32_t>(chunk_.size() - events_at);
  }
  const char* payload = chunk_.data() + sizeof header;
  header.definitions_checksum = XXH3_64bits(payload, header.definitions_size);
  header.events_checksum = XXH3_64bits(chunk_.data() + events_at, header.events_size);
  seal(header);
  std::memcpy(chunk_.data(), &header, sizeof header);

  index_.push_back({offset_, flushed_events_, header.event_count, header.definitions_raw});
  flushed_events_ += header.event_count;
  encoder_.reset();
  definitions_.clear();
  return put(chunk_);
}

Result<void> FtraceWriter::write_index() {
  const uint64_t index_offset = offset_;
  const std::string_view entries(reinterpret_cast<const char*>(index_.data()),
                                 index_.size() * sizeof(IndexEntry));
  IndexHeader header{.marker = kIndexMarker,
                     .entry_size = sizeof(IndexEntry),
                     .chunk_count = index_.size(),
                     .event_count = flushed_events_,
                     .entries_checksum = XXH3_64bits(entries.data(), entries.size())};
  seal(header);
  Footer footer{.index_offset = index_offset};
  footer.checksum = XXH3_64bits(&footer.index_offset, sizeof footer.index_offset);
  std::memcpy(footer.magic, kEndMagic, sizeof kEndMagic);
  chunk_.assign(bytes_of(header));
  chunk_ += entries;
  chunk_ += bytes_of(footer);
  return put(chunk_);
}

Result<void> FtraceWriter::close() {
  CHECK(fd_ >= 0);
  Result<void> done;
  if (failed_) done = std::unexpected(failure_);
  if (done) done = flush_chunk();
  if (done) done = write_index();
  // A network file system may report a full disk only here.
  if (::close(std::exchange(fd_, -1)) != 0 && done) done = std::unexpected(io_failure(errno));
  return done;
}

Result<void> FtraceWriter::put(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return std::unexpected(io_failure(errno));
    bytes.remove_prefix(static_cast<size_t>(written));
    offset_ += static_cast<size_t>(written);
  }
  return {};
}

Diagnostic FtraceWriter::io_failure(int error) const {
  return {.message = fmt::format("cannot write {}: {}", name_, std::strerror(error)),
          .where = "",
          .notes = {"what was written is readable up to its last whole chunk"},
          .exit_code = ExitCode::io_error};
}

}  // namespace foretell::trace
