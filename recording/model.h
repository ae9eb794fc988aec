// SPDX-License-Identifier: Apache-2.0

// Model: what both sides of the codec expect of the next record. The codec stores the records of a
// drained chunk in few bytes, without loss (encoder.h, decoder.h).
//
// Writing a byte to a file costs a quarter of a nanosecond at best (a page that the machine has not
// used yet: ten times that), and a record has 8 to 40. But programs repeat themselves: a site is
// followed by the site that followed it the last time, walks through memory in steps of one size,
// and finds in memory what it or another left there. Both sides keep a *model* of exactly that, in
// the manner of value prediction for compressing traces (Burtscher et al., "The VPC trace
// compression algorithms", 2005), and only what the model did not predict is written:
//
//   next[site]     the site whose record comes after one of this site
//   places[site]   the header of its last record, and how far that was from the one before
//   memory         the low bits of an address: the bytes last seen there, of whichever address
//   fulls          full records by site and op: the words of the last one
//
// A site counts as two, by bit 46 of the header: there entries and exits of functions differ.
//
// An encoded payload:
//   u32 records, u32 size of the operands
//   operands, padded to 8: of each record, one after the other,
//       its site if not predicted (3 bytes; full records: kKeys + their place in `fulls`)
//       compact: address less the predicted one, then value xor the predicted one
//       full, if anything is not predicted: 3 bytes with the length of each word's difference, 4
//       bits each; the differences, that of the word with site and op first
//   bitmap of u64: whether each group of 8 control bytes has one that is not 0
//   those groups: a byte for each record, bit 7 the site follows, bits 4-6 bytes of address, bits
//       0-3 bytes of value; full records: bit 0 lengths follow
//   the tail: what the encoder left as it is
// Differences are zigzagged, so that small negative ones are small.
//
// The model goes from one encoded chunk of a stream to the next, so a stream is decoded from its
// beginning; chunks that were left raw do not touch it. Kept in memory: about 7 MiB of address
// space on each side, of which as much is used as the program has sites, and up to 2 MiB of
// `memory`.
//
// Cost: 2 to 3 ns a record where the model is right, 4 to 6 where it is often wrong.
#pragma once

#include "record.h"

namespace foretell::recording {

struct Model {
  static constexpr uint32_t kKeys = 1 << 18;
  static constexpr uint32_t kFulls = 1 << 12;
  static constexpr uint64_t kMemory = 1 << 21;

  struct Place {
    uint64_t header;
    uint64_t stride;
  };
  struct Full {
    uint64_t words[3 + kMaxExtensions];  // as recorded: header, site and op, value, extensions
  };

  uint32_t previous;  // key of the last record
  uint32_t next[kKeys + kFulls];
  Place places[kKeys];
  Full fulls[kFulls];
  char memory[kMemory + sizeof(uint64_t)];
};

struct EncodedHead {
  uint32_t records;
  uint32_t operands;
};

namespace codec {

inline constexpr unsigned kKeyShift = kSiteShift - 1;
inline constexpr uint64_t kLow = (uint64_t{1} << kKeyShift) - 1;
inline constexpr size_t kKeyBytes = 3;
inline constexpr size_t kLengthBytes = 3;

// The control byte of a record.
inline constexpr unsigned kKeyFollowsBit = 7;
inline constexpr uint8_t kKeyFollows = 1 << kKeyFollowsBit;
inline constexpr unsigned kAddressBytesShift = 4;
inline constexpr uint32_t kAddressBytesMask = 7;
inline constexpr uint32_t kValueBytesMask = 15;
inline constexpr uint8_t kLengthsFollow = 1;  // full records
// The lengths of the words of a full record.
inline constexpr unsigned kLengthBits = 4;
inline constexpr uint32_t kLengthMask = 15;

template <class T = uint64_t>
T load(const char* at) {
  T value;
  __builtin_memcpy(&value, at, sizeof value);
  return value;
}

template <class T>
void store(char* at, T value) {
  __builtin_memcpy(at, &value, sizeof value);
}

constexpr uint64_t zigzag(uint64_t difference) {
  return difference << 1 ^ static_cast<uint64_t>(static_cast<int64_t>(difference) >> 63);
}
constexpr uint64_t unzigzag(uint64_t code) {
  return code >> 1 ^ (0 - (code & 1));
}

// Without a branch, as most of this file: a wrong guess of the processor costs more than all of it.
inline uint32_t bytes_of(uint64_t value) {
  const auto bits = 64 - static_cast<uint32_t>(__builtin_clzll(value | 1));
  return ((bits + 7) >> 3) - uint32_t{value == 0};
}

inline uint32_t full_place(uint64_t site_and_op) {
  const auto mixed =
      static_cast<uint32_t>(site_and_op) * 61 + static_cast<uint32_t>(site_and_op >> kOpShift);
  return mixed % Model::kFulls;
}

// What an encoder knows of a site: the bytes of value of its compact records plus 1; 0 if it has
// none.
using SiteSize = uint8_t;
constexpr SiteSize site_size(size_t value_bytes) {
  return static_cast<SiteSize>(value_bytes + 1);
}
constexpr SiteSize site_size_of(Op op) {
  const uint8_t bytes = kCompactSize[static_cast<size_t>(op)];
  return bytes == kFullOnly ? SiteSize{0} : site_size(bytes);
}

constexpr size_t padded(size_t size) {
  return (size + 7) & ~size_t{7};
}

}  // namespace codec

}  // namespace foretell::recording
