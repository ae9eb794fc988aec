// An exception jumps over the unlock, and the next thread waits for ever.
// native: hangs
// expect: deadlock m @wait confirmed
// output: caught
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex m;
int x;

void fail() {
  m.lock();
  if (x == 0) throw 1;
  m.unlock();
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
