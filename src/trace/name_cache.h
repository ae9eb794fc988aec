// NameCache: a direct-mapped cache before an interner, for readers of text.
//
// A trace names few things many times. A hash of the first and last eight bytes picks one entry;
// if the entry holds the same text its id is the answer, without touching the interner's table.
// The texts belong to the interner, so an entry lives as long as the tables do.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace foretell {

template <class Id>
class NameCache {
 public:
  explicit NameCache(unsigned bits) : shift_(64 - bits), entries_(size_t{1} << bits) {}

  // The id of `text`; on a miss `intern(text)` tells it, as a pair of the id and the text as the
  // tables keep it.
  template <class Intern>
  Id find(std::string_view text, Intern intern) {
    Entry& entry = entries_[hash(text) >> shift_];
    if (entry.size == text.size() && std::memcmp(entry.data, text.data(), text.size()) == 0) {
      return entry.id;
    }
    const auto [id, kept] = intern(text);
    entry = {kept.data(), kept.size(), id};
    return id;
  }

  void clear() { entries_.assign(entries_.size(), Entry{}); }

 private:
  struct Entry {
    const char* data = "";
    size_t size = ~size_t{0};  // no text is so long: empty
    Id id{};
  };

  static uint64_t load(const char* from, size_t size) {
    uint64_t word = 0;
    std::memcpy(&word, from, size);
    return word;
  }

  static uint64_t hash(std::string_view text) {
    const size_t n = text.size();
    uint64_t a = 0, b = 0;
    if (n >= 8) {
      a = load(text.data(), 8);
      b = load(text.data() + n - 8, 8);
    } else if (n >= 4) {
      a = load(text.data(), 4);
      b = load(text.data() + n - 4, 4);
    } else if (n > 0) {
      a = static_cast<uint8_t>(text[0]);
      b = load(text.data() + n - 1, 1) << 8 | static_cast<uint8_t>(text[n / 2]);
    }
    uint64_t h = (a ^ (b << 29 | b >> 35) ^ n) * 0x9e3779b97f4a7c15;
    h ^= h >> 32;
    return h * 0x9e3779b97f4a7c15;
  }

  unsigned shift_;
  std::vector<Entry> entries_;
};

}  // namespace foretell
