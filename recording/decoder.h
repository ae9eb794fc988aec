// SPDX-License-Identifier: Apache-2.0

// Decoder: the records of an encoded chunk (format: model.h). The reader uses it.
#pragma once

#include "model.h"

namespace foretell::recording {

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
  const uint32_t value_bytes = control & kValueBytesMask;
  if (size > 8 || value_bytes > size) return false;
  Model::Place& own = model_.places[key];
  const uint64_t difference =
      unzigzag(take(place, control >> kAddressBytesShift & kAddressBytesMask));
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
  if (index >= Model::kFulls || control & ~(kKeyFollows | kLengthsFollow)) return false;
  const auto lengths =
      static_cast<uint32_t>(take(place, control & kLengthsFollow ? uint32_t{kLengthBytes} : 0));
  Model::Full& own = model_.fulls[index];
  const auto word = [&](uint32_t i) {
    const uint32_t bytes = lengths >> kLengthBits * i & kLengthMask;
    if (bytes > 8) return false;
    own.words[i] += unzigzag(take(place, bytes));
    store(place.out + 8 * size_t{i}, own.words[i]);
    return place.operand <= place.operand_end;
  };
  if (!word(1) || !word(0) || own.words[1] >> kOpShift >= kOpCount) return false;
  const uint32_t count = 3 + kExtensions[own.words[1] >> kOpShift];
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
