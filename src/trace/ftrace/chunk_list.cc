// SPDX-License-Identifier: Apache-2.0

#include "trace/ftrace/chunk_list.h"

#include <xxhash.h>

#include <optional>

namespace foretell::trace::ftrace {
namespace {

// A struct copied from `offset`, if the file is long enough.
template <class Struct>
std::optional<Struct> load(std::string_view file, uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(Struct)) return std::nullopt;
  Struct data;
  std::memcpy(&data, file.data() + offset, sizeof data);
  return data;
}

template <class Header>
bool sealed(const Header& header) {
  return header.checksum == XXH3_64bits(&header, offsetof(Header, checksum));
}

bool sane(const ChunkHeader& header) {
  return header.event_count <= kMaxChunkEvents && header.definitions_raw <= kMaxDefinitions &&
         header.events_raw <= uint64_t{header.event_count} * kMaxBytesPerEvent;
}

bool is_header(const ChunkHeader& header) {
  return header.marker == kChunkMarker && sealed(header) && sane(header);
}

std::optional<std::vector<IndexEntry>> load_index(std::string_view file, uint64_t offset,
                                                  IndexHeader& header) {
  const auto loaded = load<IndexHeader>(file, offset);
  if (!loaded || loaded->marker != kIndexMarker || !sealed(*loaded)) return std::nullopt;
  header = *loaded;
  const std::string_view rest = file.substr(offset + sizeof(IndexHeader));
  if (header.entry_size != sizeof(IndexEntry) ||
      header.chunk_count > rest.size() / sizeof(IndexEntry)) {
    return std::nullopt;
  }
  std::vector<IndexEntry> entries(header.chunk_count);
  const size_t size = entries.size() * sizeof(IndexEntry);
  if (XXH3_64bits(rest.data(), size) != header.entries_checksum) return std::nullopt;
  if (size > 0) std::memcpy(entries.data(), rest.data(), size);
  return entries;
}

// The index a footer at the very end leads to. It must describe chunks that lie one after the other
// between the file header and itself.
std::optional<ChunkList> from_footer(std::string_view file) {
  if (file.size() < sizeof(Footer)) return std::nullopt;
  const auto footer = load<Footer>(file, file.size() - sizeof(Footer));
  if (!footer || std::memcmp(footer->magic, kEndMagic, sizeof kEndMagic) != 0 ||
      footer->checksum != XXH3_64bits(&footer->index_offset, sizeof footer->index_offset)) {
    return std::nullopt;
  }
  IndexHeader header;
  auto entries = load_index(file, footer->index_offset, header);
  if (!entries) return std::nullopt;
  ChunkList list{.chunks = std::move(*entries), .event_count = header.event_count};
  uint64_t offset = sizeof(FileHeader), events = 0;
  for (const IndexEntry& entry : list.chunks) {
    const bool in_order = entry.offset >= offset && entry.offset < footer->index_offset;
    if (!in_order || entry.first_event != events || entry.event_count > kMaxChunkEvents) {
      return std::nullopt;
    }
    offset = entry.offset + sizeof(ChunkHeader);
    events += entry.event_count;
  }
  if (events != list.event_count || offset > footer->index_offset) return std::nullopt;
  return list;
}

// Whether a chunk header stands anywhere from `offset` on.
bool chunk_follows(std::string_view file, uint64_t offset) {
  const std::string_view marker(reinterpret_cast<const char*>(&kChunkMarker), sizeof kChunkMarker);
  for (size_t at = offset; (at = file.find(marker, at)) != std::string_view::npos; ++at) {
    const auto header = load<ChunkHeader>(file, at);
    if (header && is_header(*header)) return true;
  }
  return false;
}

Result<ChunkHeader> good_chunk(std::string_view file, uint64_t offset) {
  auto header = chunk_header_at(file, offset);
  if (!header) return header;
  if (auto bytes = definitions_at(file, offset, *header); !bytes) {
    return std::unexpected(std::move(bytes).error());
  }
  if (auto bytes = events_at(file, offset, *header); !bytes) {
    return std::unexpected(std::move(bytes).error());
  }
  return header;
}

Result<ChunkList> walk(InputFile& input) {
  const std::string_view file = input.bytes();
  ChunkList list{.torn = true, .torn_at = sizeof(FileHeader)};
  for (;;) {
    IndexHeader index;
    if (load_index(file, list.torn_at, index)) {
      list.torn_at += sizeof(IndexHeader) + index.chunk_count * sizeof(IndexEntry);
      return list;
    }
    auto header = good_chunk(file, list.torn_at);
    if (!header) {
      if (chunk_follows(file, list.torn_at + 1)) return std::unexpected(std::move(header).error());
      return list;
    }
    if (header->first_event != list.event_count) {
      return fail("the chunk at offset {} begins with event {} instead of {}", list.torn_at,
                  header->first_event, list.event_count);
    }
    list.chunks.push_back(
        {list.torn_at, header->first_event, header->event_count, header->definitions_raw});
    list.event_count += header->event_count;
    list.torn_at += header->whole_size();
    input.release_before(list.torn_at);
  }
}

Result<std::string_view> payload(std::string_view file, uint64_t chunk, uint64_t begin,
                                 uint64_t size, uint64_t checksum) {
  const std::string_view bytes = file.substr(begin, size);
  if (XXH3_64bits(bytes.data(), bytes.size()) != checksum) {
    return fail("the chunk at offset {} is damaged: its checksum does not match", chunk);
  }
  return bytes;
}

}  // namespace

Result<ChunkHeader> chunk_header_at(std::string_view file, uint64_t offset) {
  const auto header = load<ChunkHeader>(file, offset);
  if (!header || !is_header(*header))
    return fail("the chunk at offset {} is damaged: it has no valid header", offset);
  if (header->whole_size() > file.size() - offset) {
    return fail("the chunk at offset {} is longer than the file", offset);
  }
  return *header;
}

Result<std::string_view> definitions_at(std::string_view file, uint64_t offset,
                                        const ChunkHeader& header) {
  return payload(file, offset, offset + sizeof header, header.definitions_size,
                 header.definitions_checksum);
}

Result<std::string_view> events_at(std::string_view file, uint64_t offset,
                                   const ChunkHeader& header) {
  return payload(file, offset, offset + sizeof header + header.definitions_size, header.events_size,
                 header.events_checksum);
}

Result<ChunkList> find_chunks(InputFile& file) {
  if (auto list = from_footer(file.bytes())) return std::move(*list);
  return walk(file);
}

}  // namespace foretell::trace::ftrace
