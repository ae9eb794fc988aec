// A released and acquired flag orders the data.
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
    ready.store(true, std::memory_order_release);
  });
  while (!ready.load(std::memory_order_acquire)) continue;
  if (data > 1) puts("never");  // @read
  producer.join();
  puts("done");
}
