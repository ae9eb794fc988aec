// SPDX-License-Identifier: Apache-2.0

// SimulatedMemory: what contested memory holds at a point of the merged order, byte by byte, as far
// as writes with known values tell.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cstdint>

#include "trace/recording/memory_access.h"

namespace foretell::recording {

class SimulatedMemory {
 public:
  enum class Match : uint8_t {
    known,      // all bytes are known and equal
    untouched,  // those that are not known were never written
    unknown,    // none contradicts
    mismatch,   // a known byte is another one
  };

  // Whether `value` is there, in up to eight bytes.
  Match match(uint64_t address, uint64_t size, uint64_t value) const {
    Match result = Match::known;
    for (uint64_t i = 0; i < size; ++i) {
      const uint64_t at = address + i;
      auto it = words_.find(at / 8);
      if (it == words_.end() || (it->second.known >> at % 8 & 1) == 0) {
        const bool written = it != words_.end() && (it->second.written >> at % 8 & 1) != 0;
        result = std::max(result, written ? Match::unknown : Match::untouched);
      } else if (it->second.bytes[at % 8] != static_cast<uint8_t>(value >> (8 * i))) {
        return Match::mismatch;
      }
    }
    return result;
  }

  // The bytes hold `value`; `written` says whether a write stored it or a read showed it.
  void store(uint64_t address, uint64_t size, uint64_t value, bool written) {
    for (uint64_t i = 0; i < size; ++i) {
      Word& word = words_[(address + i) / 8];
      const auto bit = static_cast<uint8_t>(1 << (address + i) % 8);
      word.bytes[(address + i) % 8] = static_cast<uint8_t>(value >> (8 * i));
      word.known |= bit;
      if (written) word.written |= bit;
    }
  }

  // An unknown value was written. A range longer than kNoted leaves no note of that.
  void overwrite(uint64_t address, uint64_t size) {
    forget(address, size);
    for (uint64_t at = address; size <= kNoted && at < address + size; ++at) {
      words_[at / 8].written |= static_cast<uint8_t>(1 << at % 8);
    }
  }
  static constexpr uint64_t kNoted = 4096;

  void forget(uint64_t address, uint64_t size) {
    const uint64_t last = address + size - 1;
    auto forget_in = [&](uint64_t place, Word& word) {
      for (uint64_t byte = 0; byte < 8; ++byte) {
        if (place * 8 + byte < address || place * 8 + byte > last) continue;
        word.known &= static_cast<uint8_t>(~(1 << byte));
      }
    };
    if (last / 8 - address / 8 > words_.size()) {
      for (auto& [place, word] : words_) forget_in(place, word);
      return;
    }
    for (uint64_t place = address / 8; place <= last / 8; ++place) {
      if (auto it = words_.find(place); it != words_.end()) forget_in(place, it->second);
    }
  }

  void clear() { words_.clear(); }

 private:
  struct Word {
    uint8_t bytes[8] = {};
    uint8_t known = 0;    // bit i: bytes[i]
    uint8_t written = 0;  // likewise
  };

  absl::flat_hash_map<uint64_t, Word> words_;  // by address / 8
};

}  // namespace foretell::recording
