// The recording: what a program under Foretell leaves on disk while it runs.
//
//   FileHeader      one page
//   window          slots of kSlotSize bytes, mapped into the program: the chunks being written
//   body            finished chunks, one after the other; windows may stand in between. Where the
//                   next would begin without a marker, the body goes on at the next page: some
//                   chunks begin there, because writing whole pages costs a third less.
//
// The program stores records into slots through a shared mapping, so whatever kills it loses
// nothing it had recorded. A full slot is encoded (codec.h), appended to the body, cleared and used
// again: storing to the same few pages is many times cheaper than touching a fresh page for every
// few records.
//
// A chunk belongs to one stream, and the chunks of a stream follow each other in the order of
// `ordinal`. Most are in the body; the last ones of each stream may be in slots. A chunk that is in
// both was being drained when the program ended, and counts once.
//   events   records. Controlled: one stream for all threads, with Switch records. Parallel: one
//            stream for each thread.
//   modules  a site table (ModuleBlob, sites, globals, strings); body only, a chunk for each module
// The records of a chunk end at `used`, or at the first header that is 0 if used is 0. In the body
// they may be encoded; then a stream must be decoded from its beginning.
//
// Version 1 had no encoded chunks.
//
// A record is compact or full:
//   compact  u64 address | site << kSiteShift, then the value in its natural size (record.def). The
//            op is the site's (SiteRow).
//   full     u64 address | kFullMark << kSiteShift, u64 site | op << 32, u64 value, extensions
// The header is stored last, so a record is there as soon as its header is.
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
#define FORETELL_RECORD(op, step, size, extensions, text) op,
#include "record.def"
};

inline constexpr uint8_t kFullOnly = 0xff;

inline constexpr uint8_t kIsStep[] = {
#define FORETELL_RECORD(op, step, size, extensions, text) step,
#include "record.def"
};
inline constexpr uint8_t kCompactSize[] = {
#define FORETELL_RECORD(op, step, size, extensions, text) size,
#include "record.def"
};
inline constexpr uint8_t kExtensions[] = {
#define FORETELL_RECORD(op, step, size, extensions, text) extensions,
#include "record.def"
};
inline constexpr size_t kOpCount = sizeof kIsStep;

inline constexpr unsigned kSiteShift = 47;  // user-space addresses of x86-64 are below
inline constexpr uint64_t kAddressMask = (uint64_t{1} << kSiteShift) - 1;
inline constexpr uint32_t kFullMark = 0x1ffff;
inline constexpr uint32_t kMaxExtensions = 2;
inline constexpr size_t kMaxCompact = 16;
inline constexpr size_t kMaxRecord = 24 + 8 * kMaxExtensions;

// In the address of a compact FunctionEnter: it is the exit, since both have the function's site.
inline constexpr uint64_t kExitBit = uint64_t{1} << 46;

constexpr uint64_t header_of(uint64_t address, uint32_t site) {
  return (address & kAddressMask) | uint64_t{site} << kSiteShift;
}

// A record taken apart.
class Record {
 public:
  Op op() const { return op_; }
  uint32_t site() const { return site_; }
  uint64_t address() const { return address_; }
  uint64_t value() const { return value_; }
  const uint64_t (&extensions() const)[kMaxExtensions] { return extensions_; }

  // Reads the record at `at`; returns its size, or 0 if there is none: the end, a torn or forged
  // record. `site_ops` holds the op of each site.
  size_t read(const char* at, const char* end, const uint8_t* site_ops, size_t site_count);

 private:
  size_t read_full(const char* at, const char* end);

  Op op_{};
  uint32_t site_ = 0;
  uint64_t address_ = 0;
  uint64_t value_ = 0;
  uint64_t extensions_[kMaxExtensions] = {};
};

inline size_t Record::read(const char* at, const char* end, const uint8_t* site_ops,
                           size_t site_count) {
  uint64_t header;
  if (end - at < 8) return 0;
  __builtin_memcpy(&header, at, 8);
  const auto site = static_cast<uint32_t>(header >> kSiteShift);
  address_ = header & kAddressMask;
  if (site == kFullMark) return read_full(at, end);
  if (site == 0 || site >= site_count || site_ops[site] >= kOpCount) return 0;
  op_ = static_cast<Op>(site_ops[site]);
  site_ = site;
  if (op_ == Op::FunctionEnter && address_ & kExitBit) {
    op_ = Op::FunctionExit;
    address_ = 0;
  }
  const uint8_t size = kCompactSize[static_cast<size_t>(op_)];
  if (size == kFullOnly || end - at - 8 < size) return 0;
  value_ = 0;
  __builtin_memcpy(&value_, at + 8, size);
  return 8 + size_t{size};
}

inline size_t Record::read_full(const char* at, const char* end) {
  uint64_t site_and_op;
  if (end - at < 24) return 0;
  __builtin_memcpy(&site_and_op, at + 8, 8);
  __builtin_memcpy(&value_, at + 16, 8);
  if (site_and_op >> 32 >= kOpCount) return 0;
  op_ = static_cast<Op>(site_and_op >> 32);
  site_ = static_cast<uint32_t>(site_and_op);
  const size_t extensions = 8 * size_t{kExtensions[static_cast<size_t>(op_)]};
  if (static_cast<size_t>(end - at) - 24 < extensions) return 0;
  __builtin_memcpy(extensions_, at + 24, extensions);
  return 24 + extensions;
}

inline constexpr uint32_t kNoSite = 0;  // sites count from 1
inline constexpr uint32_t kMaxSite = kFullMark - 1;
inline constexpr uint64_t kNoThread = 0xffffff;
inline constexpr uint64_t kNoTicket = ~uint64_t{0};
// Of an acquire, a wake, a join or a semaphore's wait: it was a try, or it had a time limit.
inline constexpr uint64_t kLimited = 1;

inline constexpr char kMagic[8] = {'F', 'R', 'E', 'C', 'O', 'R', 'D', '\x1a'};
inline constexpr uint32_t kVersion = 2;
inline constexpr uint32_t kOldestVersion = 1;  // that is read
inline constexpr uint32_t kHeaderSize = 4096;
inline constexpr uint32_t kSlotSize = 1 << 17;
inline constexpr uint32_t kMaxWindows = 16;
inline constexpr uint32_t kChunkMarker = 0x4b484352;  // "RCHK"

enum class Mode : uint32_t { controlled, parallel };

// How the run ended, as far as the runtime could tell. `running` in a file whose program is gone
// means that it was killed.
enum class State : uint32_t {
  running,
  finished,  // exit status in `status`
  crashed,   // fatal signal in `status`
  deadlock,  // every thread was blocked forever; the runtime ended the process
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

enum class Awaited : uint64_t { semaphore, thread, futex, once };

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
  uint64_t repeated_reads;     // left out by the filter (runtime/filter.h), as far as counted
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
  uint32_t flags;       // SiteFlags | op of its compact records << 8
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
  uint64_t* site_bits;  // out: the number of each site << kSiteShift; at least one
  uint32_t name;        // the source file
  uint32_t skipped;     // accesses left out because their stack slot never escapes
  uint32_t repeated;    // accesses left out because an equal one stands before them in the block
  uint32_t padding;
};

inline constexpr uint32_t kAbi = 2;

// How a module's chunk begins; followed by its sites, globals and strings.
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
