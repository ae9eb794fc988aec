// SimulatedMemory: what contested memory holds at a point of the merged order, byte by byte, as far
// as writes with known values tell.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>

#include "trace/recording/memory_access.h"

namespace foretell::recording {

class SimulatedMemory {
 public:
  enum class Match : uint8_t {
    known,     // all bytes are known and equal
    unknown,   // none contradicts
    mismatch,  // a known byte is another one
  };

  // Whether `value` is there, in up to eight bytes.
  Match match(uint64_t address, uint64_t size, uint64_t value) const {
    Match result = Match::known;
    for (uint64_t i = 0; i < size; ++i) {
      const uint64_t at = address + i;
      auto it = words_.find(at / 8);
      if (it == words_.end() || (it->second.known >> at % 8 & 1) == 0) {
        result = Match::unknown;
      } else if (it->second.bytes[at % 8] != static_cast<uint8_t>(value >> (8 * i))) {
        return Match::mismatch;
      }
    }
    return result;
  }

  void store(uint64_t address, uint64_t size, uint64_t value) {
    for (uint64_t i = 0; i < size; ++i) {
      Word& word = words_[(address + i) / 8];
      word.bytes[(address + i) % 8] = static_cast<uint8_t>(value >> (8 * i));
      word.known |= static_cast<uint8_t>(1 << (address + i) % 8);
    }
  }

  void forget(uint64_t address, uint64_t size) {
    const uint64_t last = address + size - 1;
    if (last / 8 - address / 8 > words_.size()) {
      absl::erase_if(words_, [&](const auto& word) {
        return word.first >= address / 8 && word.first <= last / 8;
      });
      return;
    }
    for (uint64_t at = address / 8; at <= last / 8; ++at) {
      auto it = words_.find(at);
      if (it == words_.end()) continue;
      for (uint64_t byte = 0; byte < 8; ++byte) {
        if (at * 8 + byte < address || at * 8 + byte > last) continue;
        it->second.known &= static_cast<uint8_t>(~(1 << byte));
      }
    }
  }

  void clear() { words_.clear(); }

 private:
  struct Word {
    uint8_t bytes[8] = {};
    uint8_t known = 0;  // bit i: bytes[i]
  };

  absl::flat_hash_map<uint64_t, Word> words_;  // by address / 8
};

}  // namespace foretell::recording
