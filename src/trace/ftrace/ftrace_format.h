// SPDX-License-Identifier: Apache-2.0

// The layout of an .ftrace file, version 2. docs/trace-format.md describes it for users.
//
//   FileHeader
//   chunk*        ChunkHeader, definitions, events
//   index         IndexHeader, IndexEntry per chunk
//   Footer
//
// All integers are little-endian; "varint" is LEB128, "zigzag" maps 0 -1 1 -2 ... to 0 1 2 3 ...
//
// A file is written front to back and never patched, so it can go through a pipe and a killed
// writer leaves a file that is good up to its last whole chunk. Every part says how long it is and
// carries checksums (XXH3, 64 bits): one of its header, one of each payload. So a reader that finds
// no index can walk the chunks, and tells a torn end from damage in the middle.
//
// The definitions of a chunk are the new rows of every table. A row precedes the first event that
// uses its id; ids are dense and counted in file order, so rows carry none. Definitions and events
// are compressed apart: a reader loads all definitions when it opens the file, without touching
// events, and knows every location before the first event.
//
// The definitions are one zstd frame of sections: table tag (TableTag, one byte), number of rows
// (varint), rows. A name is a varint length and its bytes. A location is varint space, zigzag
// varint difference of its offset to the offset of the location before it in the section (0 at the
// start), varint size. A site is the varints file, line, column, function, expression. A property
// is two names, key and value; unlike other rows it may come again, and then its last value holds.
//
// Version 1 had no properties and no events marked ambiguous; it is still read.
//
// The events are the sizes of kColumnCount columns (u32 each), then the columns, each a zstd frame
// of its own. trace/ftrace/event_columns.h describes the columns.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace foretell::trace::ftrace {

static_assert(std::endian::native == std::endian::little, "headers are copied as they stand");

inline constexpr char kMagic[8] = {'F', 'T', 'R', 'A', 'C', 'E', '\x1a', '\n'};
inline constexpr char kEndMagic[8] = {'F', 'T', 'R', 'A', 'C', 'E', 'N', 'D'};
inline constexpr uint32_t kVersion = 3;
inline constexpr uint32_t kOldestVersion = 1;
inline constexpr uint32_t kChunkMarker = 0x4b4e4843;  // "CHNK"
inline constexpr uint32_t kIndexMarker = 0x58444e49;  // "INDX"

// What a writer puts into a chunk, and what a reader accepts: a forged size must not make it
// allocate more than this.
inline constexpr uint32_t kChunkEvents = 1 << 16;
inline constexpr uint32_t kMaxChunkEvents = 1 << 20;
inline constexpr uint32_t kChunkDefinitions = 1 << 20;
inline constexpr uint32_t kLongestName = 1 << 22;
inline constexpr uint32_t kMaxDefinitions = kChunkDefinitions + kLongestName + (1 << 10);
// An event with a thread, a run and a template of its own, and all its fields at their widest.
inline constexpr uint32_t kMaxBytesPerEvent = 48;
inline constexpr uint32_t kMostProperties = 10'000;
inline constexpr uint32_t kMaxRows = uint32_t{1} << 31;  // of one table

struct FileHeader {
  char magic[8];
  uint32_t version;
  uint32_t size;  // of this header
  uint64_t reserved;
  uint64_t checksum;  // of the fields before it
};
static_assert(sizeof(FileHeader) == 32 && offsetof(FileHeader, version) == 8);

struct ChunkHeader {
  uint32_t marker;
  uint32_t event_count;
  uint64_t first_event;
  uint32_t definitions_size;  // in the file
  uint32_t definitions_raw;   // decompressed
  uint32_t events_size;
  uint32_t events_raw;
  uint64_t definitions_checksum;  // of the bytes in the file
  uint64_t events_checksum;
  uint64_t checksum;  // of the fields before it

  uint64_t whole_size() const {
    return sizeof(ChunkHeader) + uint64_t{definitions_size} + events_size;
  }
};
static_assert(sizeof(ChunkHeader) == 56 && offsetof(ChunkHeader, checksum) == 48);

struct IndexHeader {
  uint32_t marker;
  uint32_t entry_size;
  uint64_t chunk_count;
  uint64_t event_count;
  uint64_t entries_checksum;
  uint64_t checksum;  // of the fields before it
};
static_assert(sizeof(IndexHeader) == 40 && offsetof(IndexHeader, checksum) == 32);

struct IndexEntry {
  uint64_t offset;
  uint64_t first_event;
  uint32_t event_count;
  uint32_t definitions_raw;  // 0: the chunk need not be touched to load definitions
};
static_assert(sizeof(IndexEntry) == 24);

struct Footer {
  uint64_t index_offset;
  uint64_t checksum;  // of index_offset
  char magic[8];
};
static_assert(sizeof(Footer) == 24);

enum class TableTag : uint8_t {
  strings,
  threads,
  locks,
  conditions,
  barriers,
  semaphores,
  labels,
  functions,
  user_events,
  locations,
  sites,
  properties,
};
inline constexpr uint8_t kTableCount = 12;

}  // namespace foretell::trace::ftrace
