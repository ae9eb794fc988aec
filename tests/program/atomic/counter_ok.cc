// An atomic counter, even a relaxed one.
// expect: none
// output: 20
#include <atomic>
#include <cstdio>
#include <thread>

std::atomic<int> counter;

void work() {
  for (int i = 0; i < 10; i++) counter.fetch_add(1, std::memory_order_relaxed);
}

int main() {
  std::thread a(work), b(work);
  a.join();
  b.join();
  if (counter != 20) counter = 0;
  printf("%d\n", counter.load());
}
