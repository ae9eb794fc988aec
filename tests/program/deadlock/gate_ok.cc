// Two locks in two orders, but always behind a third.
// expect: none
// output: 2
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex gate, a, b;
int x;

void both(std::mutex& first, std::mutex& second) {
  std::lock_guard door(gate);
  std::lock_guard one(first);
  std::lock_guard other(second);
  x++;
}

int main() {
  std::thread up([] { both(a, b); });
  std::thread down([] { both(b, a); });
  up.join();
  down.join();
  printf("%d\n", x);
}
