// SPDX-License-Identifier: Apache-2.0

// Encoder: the records of a drained chunk in few bytes (format: model.h). The runtime uses it.
#pragma once

#include "file.h"
#include "model.h"

namespace foretell::recording {

class Encoder {
 public:
  // Encodes records[0, size), of which kMaxRecord more bytes can be read. `sizes` holds the
  // codec::SiteSize of each site. Returns the size of payload(), which is a multiple of 8.
  size_t encode(const char* records, size_t size, const codec::SiteSize* sizes) {
    const char* end = records + size;
    // Where the model is mostly right one comparison of everything is quickest.
    const Place reached = predicts_ ? encode_records<true>(records, end, sizes)
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

  template <bool kPredicts>
  Place encode_records(const char* at, const char* end, const codec::SiteSize* sizes);
  template <bool kPredicts, class T>
  void encode_compact(Place& place, uint64_t header);
  bool encode_full(Place& place, uint64_t header);
  static void encode_key(Place& place, uint32_t key, bool predicted);
  size_t assemble(Place place, const char* end);

  static constexpr size_t kMostRecords = kSlotSize / 8;

  Model model_;
  bool predicts_;
  uint8_t control_[kMostRecords + 8];
  ChunkHeader header_;
  alignas(8) char payload_[2 * kSlotSize];
};

[[gnu::always_inline]] inline void Encoder::encode_key(Place& place, uint32_t key, bool predicted) {
  codec::store(place.operand, key);
  place.operand += predicted ? 0 : codec::kKeyBytes;
}

template <bool kPredicts, class T>
[[gnu::always_inline]] inline void Encoder::encode_compact(Place& place, uint64_t header) {
  using namespace codec;
  constexpr bool kHasValue = !__is_same(T, void);
  const auto key = static_cast<uint32_t>(header >> kKeyShift);
  Model::Place& own = model_.places[key];
  uint32_t& next = model_.next[place.previous];
  const uint64_t predicted = own.header + own.stride;
  char* const cell = model_.memory + header % Model::kMemory;
  uint64_t change = 0;
  if constexpr (kHasValue) {
    change = static_cast<T>(load<T>(place.at + 8) ^ load<T>(cell));
    if (!kPredicts || change != 0) store(cell, load<T>(place.at + 8));
    place.at += 8 + sizeof(T);
  } else {
    place.at += 8;
  }
  place.previous = key;
  if (kPredicts && ((header ^ predicted) | change | (next ^ key)) == 0) [[likely]] {
    own.header = header;
    *place.control++ = 0;
    return;
  }
  const bool key_predicted = next == key;
  next = key;
  encode_key(place, key, key_predicted);
  constexpr unsigned kAbove = 64 - kKeyShift;
  const uint64_t difference =
      static_cast<uint64_t>(static_cast<int64_t>((header - predicted) << kAbove) >> kAbove);
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
  *place.control++ = static_cast<uint8_t>(uint32_t{!key_predicted} << kKeyFollowsBit |
                                          address_bytes << kAddressBytesShift | value_bytes);
}

// False if it is none.
[[gnu::always_inline]] inline bool Encoder::encode_full(Place& place, uint64_t header) {
  using namespace codec;
  const uint64_t site_and_op = load(place.at + 8);
  if (site_and_op >> kOpShift >= kOpCount) return false;
  const uint32_t count = 3 + kExtensions[site_and_op >> kOpShift];
  const uint32_t index = full_place(site_and_op);
  const uint32_t key = Model::kKeys + index;
  Model::Full& own = model_.fulls[index];
  uint32_t& next = model_.next[place.previous];
  const bool key_predicted = next == key;
  next = key;
  place.previous = key;
  encode_key(place, key, key_predicted);
  char* const lengths_at = place.operand;
  char* operand = place.operand + kLengthBytes;
  uint32_t lengths = 0;
  const auto word = [&](uint32_t i, uint64_t value) {
    const uint64_t difference = zigzag(value - own.words[i]);
    own.words[i] = value;
    const uint32_t bytes = bytes_of(difference);
    store(operand, difference);
    operand += bytes;
    lengths |= bytes << kLengthBits * i;
  };
  word(1, site_and_op);
  word(0, header);
  for (uint32_t i = 2; i < count; i++) word(i, load(place.at + 8 * i));
  store<uint16_t>(lengths_at, static_cast<uint16_t>(lengths));
  store<uint8_t>(lengths_at + 2, static_cast<uint8_t>(lengths >> 16));
  if (lengths) place.operand = operand;
  *place.control++ = static_cast<uint8_t>(uint32_t{!key_predicted} << kKeyFollowsBit |
                                          uint32_t{lengths != 0} * kLengthsFollow);
  place.at += 8 * count;
  return true;
}

template <bool kPredicts>
inline Encoder::Place Encoder::encode_records(const char* at, const char* end,
                                              const codec::SiteSize* sizes) {
  Place place{at, control_, operands(), model_.previous};
  while (place.at < end) {
    const uint64_t header = codec::load(place.at);
    const auto site = static_cast<uint32_t>(header >> kSiteShift);
    // The size is branched on, not added: then the next record need not wait for it.
    const codec::SiteSize size = sizes[site];
    if (size == codec::site_size(sizeof(uint64_t))) {
      encode_compact<kPredicts, uint64_t>(place, header);
    } else if (size == codec::site_size(sizeof(uint32_t))) {
      encode_compact<kPredicts, uint32_t>(place, header);
    } else if (size == codec::site_size(sizeof(uint8_t))) {
      encode_compact<kPredicts, uint8_t>(place, header);
    } else if (size == codec::site_size(0)) {
      encode_compact<kPredicts, void>(place, header);
    } else if (size == codec::site_size(sizeof(uint16_t))) {
      encode_compact<kPredicts, uint16_t>(place, header);
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
  predicts_ = wrong * 2 < groups;
  while (place.at < end) {
    // A part of the tail's last 8 bytes may lie behind it; the reader knows where it ends.
    store(at, load(place.at));
    place.at += 8;
    at += 8;
  }
  return static_cast<size_t>(at - payload_);
}

}  // namespace foretell::recording
