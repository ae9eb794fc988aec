// A thread that blocks in an ignore region, and one that ends in it.
// output: 20
// count: IgnoreBegin 2
// count: IgnoreEnd 2
#include <foretell/foretell.h>

#include <cstdio>
#include <mutex>
#include <thread>

int main() {
  std::mutex mutex;
  int counter = 0;
  std::thread threads[2];
  for (auto& thread : threads) {
    thread = std::thread([&] {
      FORETELL_ATOMIC_BLOCK("all");
      FORETELL_IGNORE_BEGIN();
      for (int i = 0; i < 10; i++) {
        std::lock_guard guard(mutex);
        counter++;
        std::this_thread::yield();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  std::printf("%d\n", counter);
}
