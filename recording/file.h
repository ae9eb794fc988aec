// SPDX-License-Identifier: Apache-2.0

// The recording: the file that a program under Foretell writes while it runs.
//
//   FileHeader   one page
//   window       slots of kSlotSize bytes, mapped into the program: the chunks being written
//   body         finished chunks, one after the other; windows may stand in between. Where the next
//                would begin without a marker, the body goes on at the next page: some chunks begin
//                there, because writing whole pages costs a third less.
//
// The program stores records into slots through a shared mapping, so whatever kills it loses
// nothing it had recorded. A full slot is encoded (encoder.h), appended to the body, cleared and
// used again: storing to the same few pages is many times cheaper than touching a fresh page for
// every few records.
//
// A chunk belongs to one stream, and the chunks of a stream follow each other in the order of
// `ordinal`. Most are in the body; the last ones of each stream may be in slots. A chunk that is in
// both was being drained when the program ended, and counts once.
//
//   events    records (record.h). Controlled: one stream for all threads, with Switch records.
//             Parallel: one stream for each thread.
//   modules   a site table (module.h); body only, a chunk for each module
//
// The records of a chunk end at `used`, or at the first header that is 0 if used is 0. In the body
// they may be encoded; then a stream must be decoded from its beginning.
//
// Version 1 had no encoded chunks, and version 2 no records of destruction and misuse.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "words.h"

namespace foretell::recording {

inline constexpr char kMagic[8] = {'F', 'R', 'E', 'C', 'O', 'R', 'D', '\x1a'};
inline constexpr uint32_t kVersion = 3;
inline constexpr uint32_t kOldestVersion = 1;  // that is read
inline constexpr uint32_t kHeaderSize = 4096;
inline constexpr uint32_t kSlotSize = 1 << 17;
inline constexpr uint32_t kMaxWindows = 16;
inline constexpr uint32_t kChunkMarker = 0x4b484352;  // "RCHK"

struct Window {
  uint64_t offset;
  uint64_t slots;
};

struct FileHeader {
  char magic[8];
  uint32_t version;
  uint32_t slot_size;
  Mode mode;
  State state;
  uint32_t status;
  uint32_t pid;
  uint64_t seed;
  uint64_t body_begin;
  uint64_t body_end;            // of the chunks that are whole
  Window windows[kMaxWindows];  // those with slots > 0, ascending
  uint64_t start_time_ns;       // CLOCK_REALTIME at the start: where virtual time begins
  uint64_t dropped_bytes;       // of records, because the disk was full
  uint64_t skipped_ignored;     // plain accesses inside ignore regions
  uint32_t watchdog_count;      // how often a thread was found lost in uninstrumented code
  uint32_t uncontrolled;  // how often a thread re-attached at a moment the scheduler did not choose
  uint64_t schedule_steps;     // steps of the schedule that were followed
  uint32_t divergence;         // Divergence
  uint32_t divergence_thread;  // whose turn it was
  uint64_t divergence_step;    // its place in the schedule
  uint32_t without_values;     // records came from objects built with -fsanitize=thread
  uint32_t forks;              // processes forked
  char error[256];             // why recording stopped early; empty if it did not
  uint64_t repeated_reads;     // left out by the filter (filter.h), as far as counted
  uint32_t cut_at_end;         // threads that had more to do when the process ended
};
static_assert(sizeof(FileHeader) <= kHeaderSize);

enum class StreamKind : uint32_t { events, modules };

struct ChunkHeader {
  uint32_t marker;
  StreamKind kind;
  uint64_t thread;    // events in parallel mode; 0 otherwise
  uint64_t ordinal;   // place in its stream
  uint32_t used;      // bytes of payload, in the body padded to 8; 0 while the chunk is open
  uint32_t decoded;   // bytes of its records if they are encoded, else 0
  uint64_t checksum;  // in the body: of the padded payload; 0 for modules, which are not summed
  uint64_t reserved[3];
};
static_assert(sizeof(ChunkHeader) == 64);

// Four independent lanes of 16 bytes each, so that a chunk is summed at memory speed. `size` is a
// multiple of 8.
inline uint64_t checksum(const void* bytes, size_t size) {
  __extension__ typedef unsigned __int128 Wide;
  constexpr uint64_t kFactor = 0x9fb21c651e98df25;
  const auto mix = [](uint64_t a, uint64_t b) {
    const auto product = static_cast<Wide>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  };
  const auto* at = static_cast<const uint64_t*>(bytes);
  const uint64_t* end = at + size / 8;
  uint64_t lane[4] = {0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9,
                      0x27d4eb2f165667c5};
  for (; end - at >= 8; at += 8) {
    for (size_t i = 0; i < 4; i++) lane[i] = mix(at[2 * i] ^ lane[i], at[2 * i + 1] ^ kFactor);
  }
  for (; at != end; at++) lane[0] = mix(*at ^ lane[0], kFactor);
  uint64_t sum = size;
  for (uint64_t one : lane) sum = (sum ^ one) * kFactor;
  return sum ^ sum >> 32;
}

}  // namespace foretell::recording
