// A deferred lock that is taken, moved, and given back by its new owner.
// expect: none
// output: done
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex m;
int x;

void work() {
  std::unique_lock lock(m, std::defer_lock);
  lock.lock();
  std::unique_lock owner(std::move(lock));
  x++;  // @write
}

int main() {
  std::thread a(work), b(work);
  a.join();
  b.join();
  puts("done");
}
