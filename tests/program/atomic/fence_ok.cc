// Relaxed accesses between two fences: the fences order the data.
// expect: none
// output: done
#include <atomic>
#include <cstdio>
#include <thread>

std::atomic<bool> ready;
int data;

int main() {
  std::thread producer([] {
    data = 1;  // @write
    std::atomic_thread_fence(std::memory_order_release);
    ready.store(true, std::memory_order_relaxed);
  });
  while (!ready.load(std::memory_order_relaxed)) continue;
  std::atomic_thread_fence(std::memory_order_acquire);
  if (data > 1) puts("never");  // @read
  producer.join();
  puts("done");
}
