// main joins after it has given the lock back.
// expect: none
#include <mutex>
#include <thread>

std::mutex m;
int x;

int main() {
  std::thread worker([] {
    std::lock_guard guard(m);
    x = 1;
  });
  {
    std::unique_lock guard(m);
    x = 2;
  }
  worker.join();
}
