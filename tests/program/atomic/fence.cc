// Relaxed accesses without fences: C++ orders nothing.
// expect: race data @write-@read unordered
// output: done
#include <atomic>
#include <cstdio>
#include <thread>

std::atomic<bool> ready;
int data;

int main() {
  std::thread producer([] {
    data = 1;  // @write
    ready.store(true, std::memory_order_relaxed);
  });
  while (!ready.load(std::memory_order_relaxed)) continue;
  if (data > 1) puts("never");  // @read
  producer.join();
  puts("done");
}
