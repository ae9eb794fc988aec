// A spin lock from an atomic flag.
// expect: none
// output: done
#include <atomic>
#include <cstdio>
#include <thread>

std::atomic_flag busy;
int x;

void work() {
  while (busy.test_and_set(std::memory_order_acquire)) continue;
  x++;  // @write
  busy.clear(std::memory_order_release);
}

int main() {
  std::thread a(work), b(work);
  a.join();
  b.join();
  puts("done");
}
