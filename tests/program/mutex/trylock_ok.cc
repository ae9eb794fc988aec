// The try fails while main holds the lock, and the thread then waits for it.
// expect: none
// output: busy
#include <cstdio>
#include <mutex>
#include <semaphore>
#include <thread>

std::mutex m;
std::binary_semaphore tried{0};
int x;

int main() {
  m.lock();
  std::thread worker([] {
    const bool got = m.try_lock();
    tried.release();
    if (!got) m.lock();
    x = 2;  // @worker
    m.unlock();
    puts(got ? "free" : "busy");
  });
  tried.acquire();
  x = 1;  // @main
  m.unlock();
  worker.join();
}
