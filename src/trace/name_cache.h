// SPDX-License-Identifier: Apache-2.0

// NameCache: a direct-mapped cache before an interner, for readers of text.
//
// A trace names few things many times. The first and last bytes of a name and its length pick one
// entry; if the entry holds the same name its id is the answer, without touching the interner's
// table. Up to sixteen bytes these parts are the whole name; beyond, the text as the tables keep it
// is compared too, so an entry is good as long as the tables are.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace foretell::trace {

template <class Id>
class NameCache {
 public:
  explicit NameCache(unsigned bits) : shift_(64 - bits), entries_(size_t{1} << bits) {}

  // The id of `text`; on a miss `intern(text)` tells it, as a pair of the id and the text as the
  // tables keep it.
  template <class Intern>
  Id find(std::string_view text, Intern intern) {
    const Key key = key_of(text);
    Entry& entry = entries_[hash(key) >> shift_];
    if (entry.key == key && (text.size() <= 16 || entry.text == text)) return entry.id;
    const auto [id, kept] = intern(text);
    entry = {key, id, kept};
    return id;
  }

  void clear() { entries_.assign(entries_.size(), Entry{}); }

 private:
  struct Key {
    uint64_t first = 0, last = 0;
    size_t size = ~size_t{0};  // no text is so long: an empty entry

    bool operator==(const Key&) const = default;
  };
  struct Entry {
    Key key;
    Id id{};
    std::string_view text;
  };

  template <class Word>
  static uint64_t load(const char* from) {
    Word word;
    std::memcpy(&word, from, sizeof word);
    return word;
  }

  static Key key_of(std::string_view text) {
    const char* const begin = text.data();
    const size_t n = text.size();
    if (n >= 8) return {load<uint64_t>(begin), load<uint64_t>(begin + n - 8), n};
    if (n >= 4) return {load<uint32_t>(begin), load<uint32_t>(begin + n - 4), n};
    if (n == 0) return {0, 0, 0};
    return {load<uint8_t>(begin), load<uint8_t>(begin + n / 2) << 8 | load<uint8_t>(begin + n - 1),
            n};
  }

  static uint64_t hash(const Key& key) {
    uint64_t h = (key.first ^ (key.last << 29 | key.last >> 35) ^ key.size) * 0x9e3779b97f4a7c15;
    h ^= h >> 32;
    return h * 0x9e3779b97f4a7c15;
  }

  unsigned shift_;
  std::vector<Entry> entries_;
};

}  // namespace foretell::trace
