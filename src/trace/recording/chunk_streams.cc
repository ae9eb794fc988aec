// SPDX-License-Identifier: Apache-2.0

#include "trace/recording/chunk_streams.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace foretell::recording {
namespace {

// What a forged header may not exceed.
constexpr uint32_t kLargestSlot = 1 << 26;
constexpr uint64_t kMostSlots = 1 << 24;
constexpr uint64_t kLastOffset = uint64_t{1} << 62;

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
  if (header.version < kOldestVersion || header.version > kVersion) {
    return fail("it has version {} of the recording format; this Foretell reads versions {} to {}",
                header.version, kOldestVersion, kVersion);
  }
  if (header.mode > Mode::parallel || header.state > State::replaced ||
      header.divergence > static_cast<uint32_t>(Divergence::missing)) {
    return fail("its header is damaged: mode {}, state {}, divergence {}",
                static_cast<uint32_t>(header.mode), static_cast<uint32_t>(header.state),
                header.divergence);
  }
  if (header.slot_size % 16 != 0 || header.slot_size <= sizeof(ChunkHeader) ||
      header.slot_size > kLargestSlot) {
    return fail("its header is damaged: slots of {} bytes", header.slot_size);
  }
  if (header.body_begin > kLastOffset) {
    return fail("its header is damaged: chunks from offset {}", header.body_begin);
  }
  for (const Window& window : header.windows) {
    if (window.slots > kMostSlots || window.offset > kLastOffset) {
      return fail("its header is damaged: a window of {} slots at offset {}", window.slots,
                  window.offset);
    }
  }
  return header;
}

Result<ChunkStreams> ChunkStreams::find(std::string_view file) {
  ChunkStreams streams;
  streams.file_ = file;
  FORETELL_TRY(header, header_of(file));
  streams.header_ = header;
  Found found;
  if (auto done = streams.list_body(found); !done) return std::unexpected(std::move(done).error());
  if (auto done = streams.list_slots(found); !done) return std::unexpected(std::move(done).error());
  if (auto done = streams.order_chunks(found); !done) {
    return std::unexpected(std::move(done).error());
  }
  return streams;
}

ChunkHeader ChunkStreams::header_at(uint64_t offset) const {
  ChunkHeader header;
  std::memcpy(&header, file_.data() + offset, sizeof header);
  return header;
}

bool ChunkStreams::in_window(uint64_t offset) const {
  return std::ranges::any_of(header_.windows, [&](const Window& window) {
    return offset >= window.offset && offset < window.offset + window.slots * header_.slot_size;
  });
}

Result<void> ChunkStreams::list_body(Found& found) {
  // A chunk is written before the end of the body moves, so what lies behind is not whole.
  const uint64_t end = std::min<uint64_t>(header_.body_end, file_.size());
  for (uint64_t offset = header_.body_begin; offset + sizeof(ChunkHeader) <= end;) {
    const ChunkHeader chunk = header_at(offset);
    // A window begins at the next page.
    const auto window = std::ranges::find_if(header_.windows, [&](const Window& one) {
      return one.slots > 0 && one.offset >= offset && one.offset - offset < kHeaderSize &&
             (one.offset == offset || chunk.marker == 0);
    });
    if (window != std::end(header_.windows)) {
      offset = window->offset + window->slots * header_.slot_size;
      continue;
    }
    if (chunk.marker == 0) {
      // The next begins at a page.
      offset = (offset / kHeaderSize + 1) * kHeaderSize;
      continue;
    }
    if (chunk.marker != kChunkMarker || chunk.kind > StreamKind::modules) {
      return fail("the chunk at offset {} is damaged: it has no valid header", offset);
    }
    const uint64_t padded = (uint64_t{chunk.used} + 7) / 8 * 8;
    if (padded > end - offset - sizeof chunk) {
      return fail("the chunk at offset {} is damaged: it holds {} bytes, of which the file has {}",
                  offset, chunk.used, end - offset - sizeof chunk);
    }
    if (chunk.decoded > header_.slot_size) {
      return fail("the chunk at offset {} is damaged: {} bytes of records do not fit a slot",
                  offset, chunk.decoded);
    }
    if (chunk.kind == StreamKind::modules) {
      modules_.push_back(offset);
    } else {
      found[chunk.thread][chunk.ordinal] = offset;
    }
    offset += sizeof chunk + padded;
  }
  return {};
}

Result<void> ChunkStreams::list_slots(Found& found) {
  for (const Window& window : header_.windows) {
    for (uint64_t i = 0; i < window.slots; ++i) {
      const uint64_t offset = window.offset + i * header_.slot_size;
      if (offset + header_.slot_size > file_.size()) return {};
      const ChunkHeader chunk = header_at(offset);
      // A slot nobody uses has no marker.
      if (chunk.marker == 0) continue;
      if (chunk.marker != kChunkMarker || chunk.kind != StreamKind::events ||
          chunk.used > header_.slot_size - sizeof chunk || chunk.decoded != 0) {
        return fail("the chunk at offset {} is damaged: it has no valid header", offset);
      }
      found[chunk.thread].try_emplace(chunk.ordinal, offset);
    }
  }
  return {};
}

Result<void> ChunkStreams::order_chunks(const Found& found) {
  for (const auto& [thread, chunks] : found) {
    if (header_.mode == Mode::controlled && thread != 0) {
      return fail("a chunk is of thread {}, but one stream has all threads", thread);
    }
    ChunkStream& stream = events_.emplace_back();
    stream.thread = thread;
    for (const auto& [ordinal, offset] : chunks) {
      if (ordinal != stream.offsets.size()) {
        // A full disk ends the body; what is still in the slots has lost its beginning.
        if (header_.dropped_bytes > 0) break;
        return fail("the chunk at offset {} is number {} of its stream, but number {} is missing",
                    offset, ordinal, stream.offsets.size());
      }
      stream.offsets.push_back(offset);
    }
  }
  return {};
}

Result<std::string_view> ChunkStreams::payload(uint64_t offset) const {
  const ChunkHeader chunk = header_at(offset);
  const uint64_t begin = offset + sizeof chunk;
  if (in_window(offset)) {
    return file_.substr(begin, chunk.used ? chunk.used : header_.slot_size - sizeof chunk);
  }
  const std::string_view padded = file_.substr(begin, (uint64_t{chunk.used} + 7) / 8 * 8);
  if (chunk.kind == StreamKind::events && checksum_of(padded) != chunk.checksum) {
    return fail("the chunk at offset {} is damaged: the checksum does not match", offset);
  }
  return padded.substr(0, chunk.used);
}

}  // namespace foretell::recording
