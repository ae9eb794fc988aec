// An exception passes through the guard, which unlocks.
// expect: none
// output: caught
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex m;
int x;

void fail() {
  std::lock_guard guard(m);
  if (x == 0) throw 1;
}

int main() {
  std::thread a([] {
    try {
      fail();
    } catch (int) {
      puts("caught");
      fflush(stdout);
    }
  });
  a.join();
  std::thread b([] {
    std::lock_guard guard(m);  // @wait
    x = 1;
  });
  b.join();
}
