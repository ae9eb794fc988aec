// The recording: what a program under Foretell leaves on disk while it runs.
//
// Written by the runtime through a shared mapping of the file, so that whatever kills the program
// loses nothing it had recorded; read by src/trace/recording/. Everything is little-endian and
// fixed-size, because the writer must be able to do it with two stores.
//
//   FileHeader                 one page
//   Chunk * chunk_count        kChunkSize bytes each: ChunkHeader, then its payload
//
// A chunk belongs to one stream (StreamKind, thread) and the chunks of a stream follow each other
// in the order of `ordinal`:
//   events   records. Controlled: one stream for all threads, with Switch records. Parallel: one
//            stream for each thread.
//   modules  the site tables of the loaded modules, a stream of bytes: (ModuleBlob, sites,
//            globals, strings)*
// A finished chunk has `used` and `checksum` set. An open one has used == 0, and its records end
// at the first whose word 1 is 0: the file is zero where nothing was written.
//
// A *step* is what a schedule counts: one record whose `step` column in record.def is 1. The reader
// makes exactly one event of each step, so a witness, which is a sequence of events, is a schedule.
//
// This header is freestanding: it is all that the runtime, the pass and the reader share.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace foretell::recording {

enum class Op : uint8_t {
#define FORETELL_RECORD(op, step, extensions, text) op,
#include "record.def"
};

inline constexpr uint8_t kIsStep[] = {
#define FORETELL_RECORD(op, step, extensions, text) step,
#include "record.def"
};
inline constexpr uint8_t kExtensions[] = {
#define FORETELL_RECORD(op, step, extensions, text) extensions,
#include "record.def"
};
inline constexpr size_t kOpCount = sizeof kIsStep;

// 48 bits of address, 48 of value, 24 of site, 8 of op. Word 0 is written first: a record is whole
// once word 1 is not 0.
struct Record {
  uint64_t word0;  // address | value bits 32..47 << 48
  uint64_t word1;  // site | op << 24 | value bits 0..31 << 32

  static constexpr uint64_t kAddressMask = (uint64_t{1} << 48) - 1;

  static constexpr Record make(Op op, uint32_t site, uint64_t address, uint64_t value) {
    return {(address & kAddressMask) | (value >> 32) << 48,
            (site & 0xffffff) | uint64_t{static_cast<uint8_t>(op)} << 24 | value << 32};
  }
  static constexpr Record extension(uint64_t payload) {
    return {payload, uint64_t{static_cast<uint8_t>(Op::Extension)} << 24};
  }
  constexpr Op op() const { return static_cast<Op>(word1 >> 24 & 0xff); }
  constexpr uint32_t site() const { return word1 & 0xffffff; }
  constexpr uint64_t address() const { return word0 & kAddressMask; }
  constexpr uint64_t value() const { return word0 >> 48 << 32 | word1 >> 32; }  // 48 bits
  constexpr int64_t signed_value() const { return static_cast<int64_t>(value() << 16) >> 16; }
};
static_assert(sizeof(Record) == 16);

constexpr bool fits_48(uint64_t value) {
  return static_cast<uint64_t>(static_cast<int64_t>(value << 16) >> 16) == value;
}

inline constexpr uint32_t kNoSite = 0;  // sites count from 1
inline constexpr uint32_t kMaxSite = 0xfffffe;
inline constexpr uint64_t kNoThread = 0xffffff;
inline constexpr uint64_t kNoTicket = ~uint64_t{0};

inline constexpr char kMagic[8] = {'F', 'R', 'E', 'C', 'O', 'R', 'D', '\x1a'};
inline constexpr uint32_t kVersion = 1;
inline constexpr uint32_t kHeaderSize = 4096;
inline constexpr uint32_t kChunkSize = 1 << 18;
inline constexpr uint32_t kChunkMarker = 0x4b484352;  // "RCHK"

enum class Mode : uint32_t { controlled, parallel };

// How the run ended, as far as the runtime could tell. `running` in a file whose program is gone
// means that it was killed.
enum class State : uint32_t {
  running,
  finished,  // exit status in `status`
  crashed,   // fatal signal in `status`
  deadlock,  // every thread was blocked for good; the runtime ended the process
  stopped,   // the schedule was followed to its end and the option stop=1 ended the process there
  replaced,  // exec
};

// What made the run differ from the schedule it was to follow.
enum class Divergence : uint32_t {
  none,
  blocked,   // the thread whose turn it was could not go on
  finished,  // the thread whose turn it was had ended
  missing,   // the thread whose turn it was did not exist yet, and nothing could create it
};

enum class Why : uint64_t { blocking_call, watchdog };

struct FileHeader {
  char magic[8];
  uint32_t version;
  uint32_t chunk_size;
  Mode mode;
  State state;
  uint32_t status;
  uint32_t pid;
  uint64_t seed;
  uint64_t chunk_count;      // handed out so far
  uint64_t start_time_ns;    // CLOCK_REALTIME at the start: where virtual time begins
  uint64_t dropped_records;  // because the disk was full
  uint64_t skipped_ignored;  // plain accesses inside ignore regions
  uint32_t watchdog_count;   // how often a thread was found lost in uninstrumented code
  uint32_t uncontrolled;  // how often a thread re-attached at a moment the scheduler did not choose
  uint64_t schedule_steps;     // steps of the schedule that were followed
  uint32_t divergence;         // Divergence
  uint32_t divergence_thread;  // whose turn it was
  uint64_t divergence_step;    // its place in the schedule
  uint32_t without_values;     // records came from objects built with -fsanitize=thread
  uint32_t forks;              // processes forked
  char error[256];             // why recording stopped early; empty if it did not
};
static_assert(sizeof(FileHeader) <= kHeaderSize);

enum class StreamKind : uint32_t { events, modules };

struct ChunkHeader {
  uint32_t marker;
  StreamKind kind;
  uint64_t thread;   // events in parallel mode; 0 otherwise
  uint64_t ordinal;  // place in its stream
  uint32_t used;     // bytes of payload; 0 while the chunk is open
  uint32_t padding;
  uint64_t checksum;  // of the payload (checksum() below), once used is set
  uint64_t reserved[3];
};
static_assert(sizeof(ChunkHeader) == 64 && kChunkSize % 16 == 0);

inline constexpr uint32_t kChunkPayload = kChunkSize - sizeof(ChunkHeader);

// Four independent lanes, so that a chunk is summed at memory speed. `size` is a multiple of 8.
inline uint64_t checksum(const void* bytes, size_t size) {
  const auto* at = static_cast<const uint64_t*>(bytes);
  uint64_t lane[4] = {0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9,
                      0x27d4eb2f165667c5};
  for (size_t i = 0; i < size / 8; i++) {
    uint64_t& sum = lane[i % 4];
    sum = (sum ^ at[i]) * 0x9fb21c651e98df25;
    sum ^= sum >> 29;
  }
  uint64_t sum = size;
  for (uint64_t one : lane) sum = (sum ^ one) * 0x9fb21c651e98df25;
  return sum ^ sum >> 32;
}

// --- What the pass puts into every object file -----------------------------------------------

// One row for each place that can record something. Strings are offsets into the module's strings;
// offset 0 is the empty string.
struct SiteRow {
  uint32_t file;
  uint32_t line;
  uint32_t column;
  uint32_t function;    // demangled, without parameters: "Queue::push"
  uint32_t expression;  // what a person would write: "acc.balance", "q->tail", "buf[i]"; of a call,
                        // its first pointer argument
  uint32_t flags;       // SiteFlags
};
static_assert(sizeof(SiteRow) == 24);

enum SiteFlags : uint32_t {
  kSiteCall = 1,      // a call
  kSiteFunction = 2,  // the function itself, at its declaration
  kSiteLibrary = 4,   // in a system header: reports show the nearest caller outside
};

// A global variable, so that its address has a name.
struct GlobalRow {
  uint64_t address;
  uint64_t size;
  uint32_t name;
  uint32_t fields;  // "0=lock;40=head;44=tail", empty if it has none that are known
};
static_assert(sizeof(GlobalRow) == 24);

// Registered by a constructor the pass adds to each object file. The runtime copies everything
// into the recording, so nobody needs the binary to read it.
struct Module {
  uint32_t abi;  // kAbi
  uint32_t site_count;
  const SiteRow* sites;
  const GlobalRow* globals;
  const char* strings;
  uint64_t strings_size;
  uint64_t global_count;
  uint32_t* site_base;  // out: its first site is *site_base
  uint32_t name;        // the source file
  uint32_t skipped;     // accesses left out because their stack slot never escapes
  uint32_t repeated;    // accesses left out because an equal one stands before them in the block
  uint32_t padding;
};

inline constexpr uint32_t kAbi = 1;

// How a module stands in the modules stream; followed by its sites, globals and strings, the whole
// padded to 8 bytes.
struct ModuleBlob {
  uint32_t first_site;
  uint32_t site_count;
  uint64_t global_count;
  uint64_t strings_size;
  uint32_t name;
  uint32_t skipped;
  uint32_t repeated;
  uint32_t is_binary;  // 1: an executable or library whose PcSites need a symbolizer; strings hold
                       // its path
};
static_assert(sizeof(ModuleBlob) == 40);

}  // namespace foretell::recording
