// Codec: records of a drained chunk in few bytes, without loss.
//
// Writing a byte to a file costs a quarter of a nanosecond at best (a page that the machine has not
// used yet: ten times that), and a record has 8 to 40. But programs repeat themselves: a site is
// followed by the site that followed it the last time, walks through memory in steps of one size,
// and finds in memory what it or another left there. Both sides keep a *model* of exactly that, in
// the manner of value prediction for compressing traces (Burtscher et al., "The VPC trace
// compression algorithms", 2005), and only what the model did not foresee is written:
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
//       its site if not foreseen (3 bytes; full records: kKeys + their place in `fulls`)
//       compact: address less the foreseen one, then value xor the foreseen one
//       full, if anything is not foreseen: 3 bytes with the length of each word's difference, 4
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

#include "recording.h"

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
inline constexpr uint8_t kKeyFollows = 0x80;

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
      static_cast<uint32_t>(site_and_op) * 61 + static_cast<uint32_t>(site_and_op >> 32);
  return mixed % Model::kFulls;
}

constexpr size_t padded(size_t size) {
  return (size + 7) & ~size_t{7};
}

}  // namespace codec

class Encoder {
 public:
  // Encodes records[0, size), of which kMaxRecord more bytes can be read. `sizes` holds, for each
  // site, the bytes of value of its compact records plus 1, or 0. Returns the size of payload(),
  // which is a multiple of 8.
  size_t encode(const char* records, size_t size, const uint8_t* sizes) {
    const char* end = records + size;
    // Where the model is mostly right one comparison of everything is quickest.
    const Place reached = foresees_ ? encode_records<true>(records, end, sizes)
                                    : encode_records<false>(records, end, sizes);
    return assemble(reached, end);
  }

  // Behind a header that the caller fills in.
  ChunkHeader& header() { return header_; }
  const char* payload() const { return payload_; }

 private:
  // Copied into registers by the loop: control bytes could be stored anywhere, for all a compiler
  // knows.
  struct Place {
    const char* at;
    uint8_t* control;
    char* operand;
    uint32_t previous;  // key
  };

  char* operands() { return payload_ + sizeof(EncodedHead); }

  template <bool kForesees>
  Place encode_records(const char* at, const char* end, const uint8_t* sizes);
  template <bool kForesees, class T>
  void encode_compact(Place& place, uint64_t header);
  bool encode_full(Place& place, uint64_t header);
  static void encode_key(Place& place, uint32_t key, bool foreseen);
  size_t assemble(Place place, const char* end);

  static constexpr size_t kMostRecords = kSlotSize / 8;

  Model model_;
  bool foresees_;
  uint8_t control_[kMostRecords + 8];
  ChunkHeader header_;
  alignas(8) char payload_[2 * kSlotSize];
};

[[gnu::always_inline]] inline void Encoder::encode_key(Place& place, uint32_t key, bool foreseen) {
  codec::store(place.operand, key);
  place.operand += foreseen ? 0 : codec::kKeyBytes;
}

template <bool kForesees, class T>
[[gnu::always_inline]] inline void Encoder::encode_compact(Place& place, uint64_t header) {
  using namespace codec;
  constexpr bool kHasValue = !__is_same(T, void);
  const auto key = static_cast<uint32_t>(header >> kKeyShift);
  Model::Place& own = model_.places[key];
  uint32_t& next = model_.next[place.previous];
  const uint64_t foreseen = own.header + own.stride;
  char* const cell = model_.memory + header % Model::kMemory;
  uint64_t change = 0;
  if constexpr (kHasValue) {
    change = static_cast<T>(load<T>(place.at + 8) ^ load<T>(cell));
    if (!kForesees || change != 0) store(cell, load<T>(place.at + 8));
    place.at += 8 + sizeof(T);
  } else {
    place.at += 8;
  }
  place.previous = key;
  if (kForesees && ((header ^ foreseen) | change | (next ^ key)) == 0) [[likely]] {
    own.header = header;
    *place.control++ = 0;
    return;
  }
  const bool key_foreseen = next == key;
  next = key;
  encode_key(place, key, key_foreseen);
  constexpr unsigned kAbove = 64 - kKeyShift;
  const uint64_t difference =
      static_cast<uint64_t>(static_cast<int64_t>((header - foreseen) << kAbove) >> kAbove);
  own.stride = header - own.header;
  own.header = header;
  const uint64_t address = zigzag(difference);
  const uint32_t address_bytes = bytes_of(address);
  store(place.operand, address);
  place.operand += address_bytes;
  uint32_t value_bytes = 0;
  if constexpr (kHasValue) {
    value_bytes = bytes_of(change);
    store(place.operand, change);
    place.operand += value_bytes;
  }
  *place.control++ =
      static_cast<uint8_t>(uint32_t{!key_foreseen} << 7 | address_bytes << 4 | value_bytes);
}

// False if it is none.
[[gnu::always_inline]] inline bool Encoder::encode_full(Place& place, uint64_t header) {
  using namespace codec;
  const uint64_t site_and_op = load(place.at + 8);
  if (site_and_op >> 32 >= kOpCount) return false;
  const uint32_t count = 3 + kExtensions[site_and_op >> 32];
  const uint32_t index = full_place(site_and_op);
  const uint32_t key = Model::kKeys + index;
  Model::Full& own = model_.fulls[index];
  uint32_t& next = model_.next[place.previous];
  const bool key_foreseen = next == key;
  next = key;
  place.previous = key;
  encode_key(place, key, key_foreseen);
  char* const lengths_at = place.operand;
  char* operand = place.operand + kLengthBytes;
  uint32_t lengths = 0;
  const auto word = [&](uint32_t i, uint64_t value) {
    const uint64_t difference = zigzag(value - own.words[i]);
    own.words[i] = value;
    const uint32_t bytes = bytes_of(difference);
    store(operand, difference);
    operand += bytes;
    lengths |= bytes << 4 * i;
  };
  word(1, site_and_op);
  word(0, header);
  for (uint32_t i = 2; i < count; i++) word(i, load(place.at + 8 * i));
  store<uint16_t>(lengths_at, static_cast<uint16_t>(lengths));
  store<uint8_t>(lengths_at + 2, static_cast<uint8_t>(lengths >> 16));
  if (lengths) place.operand = operand;
  *place.control++ = static_cast<uint8_t>(uint32_t{!key_foreseen} << 7 | uint32_t{lengths != 0});
  place.at += 8 * count;
  return true;
}

template <bool kForesees>
inline Encoder::Place Encoder::encode_records(const char* at, const char* end,
                                              const uint8_t* sizes) {
  Place place{at, control_, operands(), model_.previous};
  while (place.at < end) {
    const uint64_t header = codec::load(place.at);
    const auto site = static_cast<uint32_t>(header >> kSiteShift);
    // The size is branched on, not added: then the next record need not wait for it.
    const uint8_t size = sizes[site];
    if (size == 9) {
      encode_compact<kForesees, uint64_t>(place, header);
    } else if (size == 5) {
      encode_compact<kForesees, uint32_t>(place, header);
    } else if (size == 2) {
      encode_compact<kForesees, uint8_t>(place, header);
    } else if (size == 1) {
      encode_compact<kForesees, void>(place, header);
    } else if (size == 3) {
      encode_compact<kForesees, uint16_t>(place, header);
    } else if (site != kFullMark || !encode_full(place, header)) {
      break;
    }
  }
  return place;
}

// Puts the bitmap, the control bytes and the tail behind the operands.
inline size_t Encoder::assemble(Place place, const char* end) {
  using namespace codec;
  model_.previous = place.previous;
  const auto records = static_cast<uint32_t>(place.control - control_);
  const auto size = static_cast<size_t>(place.operand - operands());
  store(payload_, EncodedHead{records, static_cast<uint32_t>(size)});
  char* at = operands() + size;
  store<uint64_t>(at, 0);
  at = operands() + padded(size);
  const uint32_t groups = (records + 7) / 8;
  store<uint64_t>(reinterpret_cast<char*>(place.control), 0);
  char* bitmap = at;
  at += 8 * size_t{(groups + 63) / 64};
  uint32_t wrong = 0;
  for (uint32_t first = 0; first < groups; first += 64, bitmap += 8) {
    uint64_t bits = 0;
    const uint32_t count = groups - first < 64 ? groups - first : 64;
    for (uint32_t i = 0; i < count; i++) {
      const auto group = load(reinterpret_cast<const char*>(control_) + 8 * size_t{first + i});
      bits |= uint64_t{group != 0} << i;
      store(at, group);
      at += group != 0 ? 8 : 0;
      wrong += group != 0;
    }
    store(bitmap, bits);
  }
  foresees_ = wrong * 2 < groups;
  while (place.at < end) {
    // A part of the tail's last 8 bytes may lie behind it; the reader knows where it ends.
    store(at, load(place.at));
    place.at += 8;
    at += 8;
  }
  return static_cast<size_t>(at - payload_);
}

class Decoder {
 public:
  static constexpr size_t kSlack = 64;  // bytes that are written behind what is decoded

  // Decodes a payload into out[0, room), behind which kSlack bytes can be written. `site_ops` holds
  // the op of each site. Returns how many bytes, or room + 1 if the payload is damaged: then the
  // model is spoilt, and nothing more of this stream can be decoded.
  size_t decode(const char* payload, size_t size, const uint8_t* site_ops, size_t site_count,
                char* out, size_t room);

 private:
  struct Place {
    const char* operand;
    const char* operand_end;
    char* out;
  };

  [[gnu::always_inline]] static uint64_t take(Place& place, uint32_t bytes) {
    if (place.operand_end - place.operand < 8) [[unlikely]]
      return take_last(place, bytes);
    const uint64_t value = codec::load(place.operand);
    place.operand += bytes;
    return bytes == 8 ? value : value & ((uint64_t{1} << 8 * bytes) - 1);
  }
  [[gnu::always_inline]] static uint64_t take_last(Place& place, uint32_t bytes) {
    uint64_t value = 0;
    if (place.operand_end - place.operand < ptrdiff_t{bytes}) {
      place.operand = place.operand_end + 1;
      return 0;
    }
    __builtin_memcpy(&value, place.operand, bytes);
    place.operand += bytes;
    return value;
  }
  bool decode_compact(Place& place, uint8_t control, uint32_t key, const uint8_t* site_ops,
                      size_t site_count);
  bool decode_full(Place& place, uint8_t control, uint32_t index);

  Model model_;
};

[[gnu::always_inline]] inline bool Decoder::decode_compact(Place& place, uint8_t control,
                                                           uint32_t key, const uint8_t* site_ops,
                                                           size_t site_count) {
  using namespace codec;
  const uint32_t site = key >> 1;
  if (site >= site_count || site_ops[site] >= kOpCount) return false;
  const uint8_t size = kCompactSize[site_ops[site]];
  const uint32_t value_bytes = control & 15;
  if (size > 8 || value_bytes > size) return false;
  Model::Place& own = model_.places[key];
  const uint64_t difference = unzigzag(take(place, control >> 4 & 7));
  const uint64_t header = ((own.header + own.stride + difference) & kLow) | uint64_t{key}
                                                                                << kKeyShift;
  own.stride = header - own.header;
  own.header = header;
  char* const cell = model_.memory + header % Model::kMemory;
  const uint64_t value = load(cell) ^ take(place, value_bytes);
  store(place.out, header);
  store(place.out + 8, value);
  place.out += 8 + size_t{size};
  switch (size) {
    case 8:
      store(cell, value);
      break;
    case 4:
      store(cell, static_cast<uint32_t>(value));
      break;
    case 2:
      store(cell, static_cast<uint16_t>(value));
      break;
    case 1:
      store(cell, static_cast<uint8_t>(value));
      break;
    default:
      break;
  }
  return true;
}

[[gnu::always_inline]] inline bool Decoder::decode_full(Place& place, uint8_t control,
                                                        uint32_t index) {
  using namespace codec;
  if (index >= Model::kFulls || control & ~(kKeyFollows | 1)) return false;
  const auto lengths = static_cast<uint32_t>(take(place, control & 1 ? uint32_t{kLengthBytes} : 0));
  Model::Full& own = model_.fulls[index];
  const auto word = [&](uint32_t i) {
    const uint32_t bytes = lengths >> 4 * i & 15;
    if (bytes > 8) return false;
    own.words[i] += unzigzag(take(place, bytes));
    store(place.out + 8 * size_t{i}, own.words[i]);
    return place.operand <= place.operand_end;
  };
  if (!word(1) || !word(0) || own.words[1] >> 32 >= kOpCount) return false;
  const uint32_t count = 3 + kExtensions[own.words[1] >> 32];
  for (uint32_t i = 2; i < count; i++) {
    if (!word(i)) return false;
  }
  place.out += 8 * size_t{count};
  return true;
}

inline size_t Decoder::decode(const char* payload, size_t size, const uint8_t* site_ops,
                              size_t site_count, char* out, size_t room) {
  using namespace codec;
  const size_t damaged = room + 1;
  if (size < sizeof(EncodedHead)) return damaged;
  const auto head = load<EncodedHead>(payload);
  const size_t groups = (size_t{head.records} + 7) / 8;
  const size_t bitmap_at = sizeof head + padded(head.operands);
  const size_t groups_at = bitmap_at + 8 * ((groups + 63) / 64);
  if (groups_at > size) return damaged;
  const char* group_at = payload + groups_at;
  const char* const end = payload + size;
  Place place{payload + sizeof head, payload + sizeof head + head.operands, out};
  const char* const out_end = out + room;
  uint64_t bits = 0;
  uint64_t controls = 0;
  for (uint32_t i = 0; i < head.records; i++) {
    if (i % 512 == 0) bits = load(payload + bitmap_at + i / 64);
    if (i % 8 == 0) {
      controls = 0;
      if (bits & 1) {
        if (end - group_at < 8) return damaged;
        controls = load(group_at);
        group_at += 8;
      }
      bits >>= 1;
    }
    const auto control = static_cast<uint8_t>(controls);
    controls >>= 8;
    uint32_t key = model_.next[model_.previous];
    if (control & kKeyFollows) key = static_cast<uint32_t>(take(place, kKeyBytes));
    if (key >= Model::kKeys + Model::kFulls) return damaged;
    model_.next[model_.previous] = key;
    model_.previous = key;
    const bool fine = key < Model::kKeys ? decode_compact(place, control, key, site_ops, site_count)
                                         : decode_full(place, control, key - Model::kKeys);
    // Checked after each record: no record has more bytes than kSlack.
    if (!fine || place.out > out_end || place.operand > place.operand_end) return damaged;
  }
  const auto tail = static_cast<size_t>(out_end - place.out);
  if (static_cast<size_t>(end - group_at) < tail) return damaged;
  __builtin_memcpy(place.out, group_at, tail);
  return room;
}

}  // namespace foretell::recording
