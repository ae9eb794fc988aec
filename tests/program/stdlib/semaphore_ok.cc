// A binary semaphore lets one in at a time.
// expect: none
// output: done
#include <cstdio>
#include <semaphore>
#include <thread>

std::binary_semaphore places(1);
int x;

void work() {
  places.acquire();
  x++;  // @write
  places.release();
}

int main() {
  std::thread a(work), b(work);
  a.join();
  b.join();
  puts("done");
}
