// main joins a thread while it holds the lock that the thread needs.
// native: hangs
// expect: deadlock m @wait confirmed
// output: start
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex m;
int x;

int main() {
  puts("start");
  fflush(stdout);
  m.lock();
  std::thread worker([] {
    std::lock_guard guard(m);  // @wait
    x = 1;
  });
  worker.join();
  m.unlock();
}
