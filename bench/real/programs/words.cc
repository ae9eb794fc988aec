// SPDX-License-Identifier: Apache-2.0
// Words counted by two threads in one std::map of strings under one mutex.
//
// usage: words WORDS
// test: 20
// x1: 20000
// x10: 200000
// x100: 2000000
// races: none
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>
static std::map<std::string, int> counts;
static std::mutex m;
static void work(int id, int n) {
  unsigned x = id * 77 + 1;
  for (int i = 0; i < n; i++) {
    x = x * 1664525 + 1013904223;
    std::string w = "word" + std::to_string(x % 5000 * 31 % 2000);
    std::lock_guard l(m);
    counts[w]++;
  }
}
int main(int, char** argv) {
  int n = atoi(argv[1]);
  std::thread a(work, 1, n), b(work, 2, n);
  a.join();
  b.join();
  long s = 0;
  for (auto& [k, v] : counts) s = s * 31 + k.size() * v;
  printf("%ld\n", s);
}
