// A relaxed store breaks the release sequence: what the first thread wrote is not ordered.
// expect: race data @write-@read unordered
// output: done
#include <atomic>
#include <cstdio>
#include <thread>

std::atomic<int> state;
int data;

int main() {
  std::thread first([] {
    data = 1;  // @write
    state.store(1, std::memory_order_release);
  });
  std::thread second([] {
    int one = 1;
    while (state.load(std::memory_order_relaxed) != one) continue;
    state.store(2, std::memory_order_relaxed);
  });
  while (state.load(std::memory_order_acquire) != 2) continue;
  if (data > 1) puts("never");  // @read
  first.join();
  second.join();
  puts("done");
}
