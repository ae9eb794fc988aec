// Two locks in two orders, but the second is only tried, and the first given back if that fails.
// expect: none
// output: 2
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex a, b;
int x;

void both(std::mutex* first, std::mutex* second) {
  first->lock();
  while (!second->try_lock()) {
    first->unlock();
    std::this_thread::yield();
    first->lock();
  }
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
