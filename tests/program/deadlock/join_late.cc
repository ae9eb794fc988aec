// main joins, with the lock in hand, a thread that needs the lock; mostly the thread was faster.
// native: may hang
// expect: deadlock m @wait confirmed
#include <mutex>
#include <thread>

std::mutex m;
int x;

int main() {
  std::thread worker([] {
    std::lock_guard guard(m);  // @wait
    x = 1;
  });
  std::unique_lock guard(m);
  x = 2;
  worker.join();
}
