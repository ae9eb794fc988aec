// A spin lock from an atomic flag that is given back before the write.
// expect: race x @write-@write confirmed
// output: done
#include <atomic>
#include <cstdio>
#include <thread>

std::atomic_flag busy;
int x;

void work() {
  while (busy.test_and_set(std::memory_order_acquire)) continue;
  busy.clear(std::memory_order_release);
  x++;  // @write
}

int main() {
  std::thread a(work), b(work);
  a.join();
  b.join();
  puts("done");
}
