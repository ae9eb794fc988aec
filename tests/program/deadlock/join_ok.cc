// main gives the lock back before it joins.
// expect: none
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
  m.unlock();
  worker.join();
}
