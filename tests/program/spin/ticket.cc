// A ticket lock that calls the next ticket before the write.
// expect: race x @write-@write confirmed
// output: done
#include <atomic>
#include <cstdio>
#include <thread>

std::atomic<int> next, serving;
int x;

void work() {
  const int mine = next.fetch_add(1, std::memory_order_relaxed);
  while (serving.load(std::memory_order_acquire) != mine) continue;
  serving.store(mine + 1, std::memory_order_release);
  x++;  // @write
}

int main() {
  std::thread a(work), b(work);
  a.join();
  b.join();
  puts("done");
}
