// main spins on a load until the flag is up: under a scheduler that runs one thread at a time this
// must not hang.
// The data is written after the flag.
// expect: race data @write-@read confirmed
// output: done
#include <atomic>
#include <cstdio>
#include <thread>

std::atomic<bool> ready;
int data;

int main() {
  std::thread producer([] {
    ready.store(true);
    data = 1;  // @write
  });
  while (!ready.load()) continue;
  if (data > 1) puts("never");  // @read
  producer.join();
  puts("done");
}
