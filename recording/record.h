// SPDX-License-Identifier: Apache-2.0

// Records: what a running program writes, one for each step and some for bookkeeping (record.def).
//
// A record is compact or full:
//   compact  u64 address | site << kSiteShift, then the value in its natural size (record.def). The
//            op is the site's (SiteRow in module.h).
//   full     u64 address | kFullMark << kSiteShift, u64 site | op << kOpShift, u64 value,
//   extensions
// The header is stored last, so a record is there as soon as its header is.
//
// A *step* is what a schedule counts: one record whose `step` column in record.def is 1. The reader
// makes exactly one event of each step, so a witness, which is a sequence of events, is a schedule.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "memory_order.h"
#include "words.h"

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

// User-space addresses of x86-64 are below 1 << kSiteShift.
inline constexpr unsigned kSiteShift = 47;
inline constexpr uint64_t kAddressMask = (uint64_t{1} << kSiteShift) - 1;
inline constexpr uint32_t kFullMark = 0x1ffff;
inline constexpr uint32_t kMaxSite = kFullMark - 1;
inline constexpr uint32_t kMaxExtensions = 2;
inline constexpr size_t kMaxCompact = 16;
inline constexpr size_t kMaxRecord = 24 + 8 * kMaxExtensions;

// In the address of a compact FunctionEnter: it is the exit, since both have the function's site.
inline constexpr uint64_t kExitBit = uint64_t{1} << (kSiteShift - 1);

// The second word of a full record.
inline constexpr unsigned kOpShift = 32;
constexpr uint64_t site_and_op_of(uint32_t site, Op op) {
  return site | uint64_t{static_cast<uint8_t>(op)} << kOpShift;
}

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
  if (site_and_op >> kOpShift >= kOpCount) return 0;
  op_ = static_cast<Op>(site_and_op >> kOpShift);
  site_ = static_cast<uint32_t>(site_and_op);
  if (site_ > kMaxSite) return 0;
  const size_t extensions = 8 * size_t{kExtensions[static_cast<size_t>(op_)]};
  if (static_cast<size_t>(end - at) - 24 < extensions) return 0;
  __builtin_memcpy(extensions_, at + 24, extensions);
  return 24 + extensions;
}

inline constexpr uint32_t kNoSite = 0;  // sites count from 1
inline constexpr uint64_t kNoThread = 0xffffff;
inline constexpr uint64_t kNoTicket = ~uint64_t{0};
// Of an acquire, a wake, a join or a semaphore's wait: it was a try, or it had a time limit.
inline constexpr uint64_t kLimited = 1;

// Why a thread ran outside the scheduler's control (External).
enum class Why : uint64_t { blocking_call, watchdog };

// What a thread waits for (Blocked).
enum class Awaited : uint64_t { semaphore, thread, futex, once };

// The `value` of a record of an atomic operation or a fence.
struct AtomicValue {
  MemoryOrder order;
  uint64_t size;  // in bytes; 0 for a fence, and for one byte without a value

  static constexpr unsigned kOrderBits = 8;

  constexpr uint64_t packed() const { return static_cast<uint64_t>(order) | size << kOrderBits; }
  // A forged record may have an order that there is not.
  static constexpr AtomicValue of(uint64_t value) {
    return {static_cast<MemoryOrder>(value & ((1 << kOrderBits) - 1)), value >> kOrderBits};
  }
  constexpr bool has_known_order() const { return static_cast<size_t>(order) < kMemoryOrderCount; }
  // The extensions of an atomic of another size hold 0.
  constexpr bool has_value() const { return size == 1 || size == 2 || size == 4 || size == 8; }
};

// The extension of PcSite: where in a file the code is.
struct CodeOffset {
  uint64_t offset;
  uint64_t binary;  // how many register_binary calls came before its own

  static constexpr unsigned kBinaryBits = 16;

  constexpr uint64_t packed() const { return offset << kBinaryBits | binary; }
  static constexpr CodeOffset of(uint64_t extension) {
    return {extension >> kBinaryBits, extension & ((1 << kBinaryBits) - 1)};
  }
};
inline constexpr uint64_t kMostBinaries = uint64_t{1} << CodeOffset::kBinaryBits;

// Descriptors are bytes at addresses that no memory has.
inline constexpr int kDescriptors = 1 << 16;  // those above are not recorded
constexpr uint64_t descriptor_address(int fd) {
  return (uint64_t{3} << 45) + 8 * static_cast<uint64_t>(fd);
}

// The value of a Misuse record.
constexpr uint64_t misuse_value(Misuse how, Synchronizer what) {
  return static_cast<uint64_t>(how) | static_cast<uint64_t>(what) << 8;
}

}  // namespace foretell::recording
