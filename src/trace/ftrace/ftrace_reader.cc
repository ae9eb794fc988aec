// SPDX-License-Identifier: Apache-2.0

#include "trace/ftrace/ftrace_reader.h"

#include <xxhash.h>
#include <zstd.h>

#include <utility>

#include "base/check.h"
#include "trace/ftrace/bytes.h"
#include "trace/ftrace/chunk_list.h"
#include "trace/ftrace/definitions.h"
#include "trace/ftrace/event_decoder.h"
#include "trace/ftrace/ftrace_format.h"
#include "trace/run_facts_text.h"

namespace foretell::trace {

using namespace ftrace;

namespace {

struct FreeContext {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

// A buffer that only grows and is not cleared.
class Scratch {
 public:
  char* reserve(size_t size) {
    if (size > size_) {
      bytes_ = std::make_unique_for_overwrite<char[]>(size);
      size_ = size;
    }
    return bytes_.get();
  }

 private:
  std::unique_ptr<char[]> bytes_;
  size_t size_ = 0;
};

class FtraceReader final : public TraceReader {
 public:
  explicit FtraceReader(InputFile file) : file_(std::move(file)), zstd_(ZSTD_createDCtx()) {
    CHECK(zstd_ != nullptr);
  }

  Result<void> open() {
    if (auto done = check_header(); !done) return in_file(std::move(done));
    auto chunks = find_chunks(file_);
    if (!chunks) return in_file<void>(std::unexpected(std::move(chunks).error()));
    chunks_ = std::move(*chunks);
    if (chunks_.torn) warn_of_torn_end();
    for (const IndexEntry& entry : chunks_.chunks) {
      if (entry.definitions_raw == 0) continue;
      if (auto done = load_rows(entry); !done) return in_file(std::move(done));
      file_.release_before(entry.offset);
    }
    scratch_ = {};
    tables_.facts = facts_from(properties_, tables_);
    return {};
  }

  Result<size_t> read(std::span<Event> out) override {
    size_t count = 0;
    while (count < out.size()) {
      auto got = decoder_.decode(out.subspan(count));
      if (!got) return in_file<size_t>(in_chunk(std::move(got).error()));
      count += *got;
      if (*got > 0) continue;
      if (next_chunk_ == chunks_.chunks.size()) break;
      if (auto done = start_chunk(); !done) {
        return in_file<size_t>(std::unexpected(std::move(done).error()));
      }
    }
    return count;
  }

  void rewind() override {
    next_chunk_ = 0;
    decoder_ = {};
  }

  bool locations_known() const override { return true; }
  std::optional<uint64_t> event_count() const override { return chunks_.event_count; }

  std::string position(EventIndex index) const override {
    return fmt::format("{}: event {}", file_.name(), to_index(index));
  }

  double progress() const override { return fraction(decoder_.next_index(), chunks_.event_count); }

 private:
  template <class T>
  Result<T> in_file(Result<T> result) const {
    if (!result) result.error().where = file_.name();
    return result;
  }

  std::unexpected<Diagnostic> in_chunk(Diagnostic error) const {
    error.message =
        fmt::format("the chunk at offset {} is malformed: {}", chunk_offset_, error.message);
    return std::unexpected(std::move(error));
  }

  Result<void> check_header() const {
    FileHeader header{};
    const std::string_view bytes = file_.bytes();
    if (!looks_like_ftrace(bytes)) return fail("it is not an .ftrace file");
    if (bytes.size() < sizeof header) return fail("it ends inside its header");
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.version < kOldestVersion || header.version > kVersion) {
      return fail("it has version {} of the .ftrace format; this Foretell reads versions {} to {}",
                  header.version, kOldestVersion, kVersion);
    }
    if (header.checksum != XXH3_64bits(&header, offsetof(FileHeader, checksum)) ||
        header.size != sizeof header) {
      return fail("its header is damaged: the checksum does not match");
    }
    return {};
  }

  void warn_of_torn_end() {
    Diagnostic warning{
        .message = fmt::format("the file is torn at offset {} of {}: read {} events up to there",
                               chunks_.torn_at, file_.bytes().size(), chunks_.event_count),
        .where = file_.name()};
    warning.exit_code = ExitCode::cut_short;
    warnings_.push_back(std::move(warning).with_note(
        "the program that wrote it was killed, or the file was copied before it was whole"));
  }

  // `raw_size` comes from a sane header, so it is no bomb.
  Result<std::string_view> decompress(std::string_view bytes, size_t raw_size) {
    char* out = scratch_.reserve(raw_size);
    const size_t size = ZSTD_decompressDCtx(zstd_.get(), out, raw_size, bytes.data(), bytes.size());
    if (ZSTD_isError(size)) return fail("cannot decompress: {}", ZSTD_getErrorName(size));
    if (size != raw_size) return fail("{} bytes decompress to {}", raw_size, size);
    return std::string_view(out, size);
  }

  Result<ChunkHeader> header_of(const IndexEntry& entry) {
    chunk_offset_ = entry.offset;
    auto header = chunk_header_at(file_.bytes(), entry.offset);
    if (header &&
        (header->first_event != entry.first_event || header->event_count != entry.event_count ||
         header->definitions_raw != entry.definitions_raw)) {
      return fail("the chunk at offset {} is not what the index says", entry.offset);
    }
    return header;
  }

  Result<void> load_rows(const IndexEntry& entry) {
    FORETELL_TRY(header, header_of(entry));
    FORETELL_TRY(bytes, definitions_at(file_.bytes(), entry.offset, header));
    auto rows = decompress(bytes, header.definitions_raw);
    if (!rows) return in_chunk(std::move(rows).error());
    if (auto done = load_definitions(*rows, tables_, properties_); !done) {
      return in_chunk(std::move(done).error());
    }
    return {};
  }

  Result<void> start_chunk() {
    const IndexEntry& entry = chunks_.chunks[next_chunk_++];
    file_.release_before(entry.offset);
    if (entry.event_count == 0) return {};
    FORETELL_TRY(header, header_of(entry));
    FORETELL_TRY(bytes, events_at(file_.bytes(), entry.offset, header));
    auto done = start_events(bytes, header);
    if (!done) return in_chunk(std::move(done).error());
    return {};
  }

  Result<void> start_events(std::string_view bytes, const ChunkHeader& header) {
    ByteCursor cursor(bytes);
    std::array<uint32_t, kColumnCount> sizes{};
    uint64_t all = 0;
    for (uint32_t& size : sizes) all += size = static_cast<uint32_t>(cursor.integer(4));
    if (cursor.failed() || all != header.events_raw) return fail("its columns have a wrong size");
    FORETELL_TRY(raw, decompress(bytes.substr(bytes.size() - cursor.left()), header.events_raw));
    std::array<std::string_view, kColumnCount> columns;
    size_t begin = 0;
    for (size_t i = 0; i < kColumnCount; ++i) {
      columns[i] = raw.substr(begin, sizes[i]);
      begin += sizes[i];
    }
    return decoder_.start(columns, header.event_count, header.first_event, tables_);
  }

  InputFile file_;
  std::unique_ptr<ZSTD_DCtx, FreeContext> zstd_;
  ChunkList chunks_;
  Properties properties_;
  size_t next_chunk_ = 0;
  uint64_t chunk_offset_ = 0;  // of the chunk being read, for messages
  Scratch scratch_;            // the decompressed chunk; the decoder's columns point into it
  EventDecoder decoder_;
};

}  // namespace

bool looks_like_ftrace(std::string_view bytes) {
  return bytes.starts_with(std::string_view(kMagic, sizeof kMagic));
}

Result<std::unique_ptr<TraceReader>> make_ftrace_reader(InputFile file) {
  auto reader = std::make_unique<FtraceReader>(std::move(file));
  if (auto done = reader->open(); !done) return std::unexpected(std::move(done).error());
  return reader;
}

}  // namespace foretell::trace
