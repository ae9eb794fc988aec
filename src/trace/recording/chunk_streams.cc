#include "trace/recording/chunk_streams.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace foretell::recording {
namespace {

// What a forged header may not exceed.
constexpr uint32_t kLargestChunk = 1 << 26;

uint64_t checksum_of(std::string_view bytes) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % alignof(uint64_t) == 0) {
    return checksum(bytes.data(), bytes.size());
  }
  std::vector<uint64_t> aligned(bytes.size() / 8);
  std::memcpy(aligned.data(), bytes.data(), aligned.size() * 8);
  return checksum(aligned.data(), bytes.size());
}

}  // namespace

Result<FileHeader> header_of(std::string_view file) {
  if (!file.starts_with(std::string_view(kMagic, sizeof kMagic))) {
    return fail("it is not a recording");
  }
  if (file.size() < sizeof(FileHeader)) return fail("it ends inside its header");
  FileHeader header;
  std::memcpy(&header, file.data(), sizeof header);
  if (header.version != kVersion) {
    return fail("it has version {} of the recording format; this Foretell reads version {}",
                header.version, kVersion);
  }
  if (header.mode > Mode::parallel || header.state > State::replaced ||
      header.divergence > static_cast<uint32_t>(Divergence::missing)) {
    return fail("its header is damaged: mode {}, state {}, divergence {}",
                static_cast<uint32_t>(header.mode), static_cast<uint32_t>(header.state),
                header.divergence);
  }
  if (header.chunk_size % 16 != 0 || header.chunk_size <= sizeof(ChunkHeader) ||
      header.chunk_size > kLargestChunk) {
    return fail("its header is damaged: chunks of {} bytes", header.chunk_size);
  }
  return header;
}

Result<ChunkStreams> ChunkStreams::find(std::string_view file) {
  ChunkStreams streams;
  streams.file_ = file;
  FORETELL_TRY(header, header_of(file));
  streams.header_ = header;
  if (auto done = streams.list_chunks(); !done) return std::unexpected(std::move(done).error());
  return streams;
}

ChunkHeader ChunkStreams::header_at(uint64_t offset) const {
  ChunkHeader header;
  std::memcpy(&header, file_.data() + offset, sizeof header);
  return header;
}

Result<void> ChunkStreams::list_chunks() {
  std::map<uint64_t, ChunkStream> by_thread;
  for (uint64_t offset = kHeaderSize; offset + sizeof(ChunkHeader) <= file_.size();
       offset += header_.chunk_size) {
    const ChunkHeader chunk = header_at(offset);
    // The file grows by more than is used at once: a chunk nobody has taken is all zero.
    if (chunk.marker == 0 && chunk.used == 0) continue;
    if (chunk.marker != kChunkMarker || chunk.kind > StreamKind::modules) {
      return fail("the chunk at offset {} is damaged: it has no valid header", offset);
    }
    const bool is_modules = chunk.kind == StreamKind::modules;
    if (!is_modules && header_.mode == Mode::controlled && chunk.thread != 0) {
      return fail("the chunk at offset {} is of thread {}, but one stream has all threads", offset,
                  chunk.thread);
    }
    ChunkStream& stream = is_modules ? modules_ : by_thread[chunk.thread];
    stream.thread = is_modules ? 0 : chunk.thread;
    stream.offsets.push_back(offset);
  }
  if (auto done = order_chunks(modules_); !done) return done;
  for (auto& [thread, stream] : by_thread) {
    if (auto done = order_chunks(stream); !done) return done;
    events_.push_back(std::move(stream));
  }
  return {};
}

Result<void> ChunkStreams::order_chunks(ChunkStream& stream) {
  std::ranges::sort(stream.offsets, {}, [&](uint64_t offset) { return header_at(offset).ordinal; });
  for (size_t i = 0; i < stream.offsets.size(); ++i) {
    const uint64_t ordinal = header_at(stream.offsets[i]).ordinal;
    if (ordinal == i) continue;
    return fail("the chunk at offset {} is number {} of its stream, but number {} is missing",
                stream.offsets[i], ordinal, i);
  }
  if (stream.offsets.empty()) return {};
  const uint64_t last = stream.offsets.back();
  if (!checked(last)) torn_.push_back(last);
  return {};
}

Result<std::string_view> ChunkStreams::checked(uint64_t offset) const {
  const ChunkHeader chunk = header_at(offset);
  const uint64_t begin = offset + sizeof chunk;
  const uint64_t room = std::min<uint64_t>(header_.chunk_size - sizeof chunk, file_.size() - begin);
  if (chunk.used == 0) return file_.substr(begin, room / 8 * 8);
  if (chunk.used % 8 != 0 || chunk.used > room) {
    return fail("the chunk at offset {} is damaged: it holds {} bytes, of which the file has {}",
                offset, chunk.used, room);
  }
  const std::string_view bytes = file_.substr(begin, chunk.used);
  if (checksum_of(bytes) != chunk.checksum) {
    return fail("the chunk at offset {} is damaged: the checksum does not match", offset);
  }
  return bytes;
}

Result<std::string_view> ChunkStreams::payload(uint64_t offset) const {
  if (std::ranges::find(torn_, offset) == torn_.end()) return checked(offset);
  const uint64_t begin = offset + sizeof(ChunkHeader);
  const uint64_t room =
      std::min<uint64_t>(header_.chunk_size - sizeof(ChunkHeader), file_.size() - begin);
  return file_.substr(begin, room / 8 * 8);
}

}  // namespace foretell::recording
