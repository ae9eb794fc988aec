// A counting semaphore lets two in at once.
// run: --strategy=random --quantum=2
// seeds: 40
// expect: race x @write-@write confirmed
// output: done
#include <cstdio>
#include <semaphore>
#include <thread>

std::counting_semaphore<4> places(2);
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
