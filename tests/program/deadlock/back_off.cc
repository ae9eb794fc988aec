// Two locks in two orders, and nobody gives way.
// native: may hang
// run: --strategy=random --quantum=2
// seeds: 40
// expect: deadlock a b confirmed
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex a, b;
int x;

void both(std::mutex* first, std::mutex* second) {
  first->lock();
  second->lock();
  x++;
  second->unlock();
  first->unlock();
}

int main() {
  std::thread up(both, &a, &b), down(both, &b, &a);
  up.join();
  down.join();
  printf("%d\n", x);
}
