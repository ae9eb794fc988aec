// A deferred lock that is never taken.
// expect: race x @write-@write confirmed
// output: done
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex m;
int x;

void work() {
  std::unique_lock lock(m, std::defer_lock);
  x++;  // @write
}

int main() {
  std::thread a(work), b(work);
  a.join();
  b.join();
  puts("done");
}
