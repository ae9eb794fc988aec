// Threads that use a static object while main returns. It is never destroyed, and each locks.
// expect: none
// output: 3
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <thread>

std::mutex m;
std::map<std::string, int>& words = *new std::map<std::string, int>;

void count(const char* word) {
  std::lock_guard guard(m);
  words[word]++;
  if (words.size() == 3) std::printf("%zu\n", words.size());
}

int main() {
  for (const char* word : {"one", "two", "three"}) std::thread(count, word).detach();
}
