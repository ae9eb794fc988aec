// Words counted in std::unordered_map<std::string>, a map for each thread, merged and sorted at the
// end: library templates, small functions, allocation.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {

using Counts = std::unordered_map<std::string, long>;

std::string make_text(size_t size, uint32_t random) {
  std::string text;
  while (text.size() < size) {
    random = random * 1664525 + 1013904223;
    uint32_t word = (random >> 12) % 5000;
    do text.push_back(static_cast<char>('a' + word % 26));
    while (word /= 26);
    text += random >> 31 ? ". " : " ";
  }
  return text;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  for (char c : text) {
    if (c >= 'a' && c <= 'z') {
      word.push_back(c);
    } else if (!word.empty()) {
      words.push_back(word);
      word.clear();
    }
  }
  return words;
}

void count(const std::string& text, Counts& counts) {
  for (const std::string& word : split(text)) counts[word]++;
}

}  // namespace

int main(int argc, char** argv) {
  const size_t size = argc > 1 ? static_cast<size_t>(atol(argv[1])) : 4000000;
  const std::string texts[2] = {make_text(size / 2, 1), make_text(size / 2, 2)};
  Counts counts[2];
  std::thread other([&] { count(texts[1], counts[1]); });
  count(texts[0], counts[0]);
  other.join();
  for (const auto& [word, times] : counts[1]) counts[0][word] += times;
  std::vector<std::pair<std::string, long>> sorted(counts[0].begin(), counts[0].end());
  std::sort(sorted.begin(), sorted.end());
  uint64_t check = 0;
  for (const auto& [word, times] : sorted)
    check = check * 31 + word.size() * static_cast<uint64_t>(times);
  printf("%zu %llx\n", sorted.size(), static_cast<unsigned long long>(check));
  return 0;
}
