// try_lock_for gives up, the thread does not.
// expect: race x @main-@worker confirmed
// output: gave up
#include <chrono>
#include <cstdio>
#include <mutex>
#include <semaphore>
#include <thread>

std::timed_mutex m;
std::binary_semaphore tried{0};
int x;

int main() {
  m.lock();
  std::thread worker([] {
    const bool got = m.try_lock_for(std::chrono::milliseconds(1));
    puts(got ? "locked" : "gave up");
    tried.release();
    x = 2;  // @worker
  });
  tried.acquire();
  x = 1;  // @main
  m.unlock();
  worker.join();
}
