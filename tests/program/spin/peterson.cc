// Looks whether the other wants to enter, and only then says so itself: both may enter.
// The race is real only if they look at the same time; happens-before sees it in that run.
// run: --strategy=random --quantum=2
// seeds: 40
// expect: race x @critical-@critical confirmed
// output: done
#include <atomic>
#include <cstdio>
#include <thread>

std::atomic<bool> wants[2];
std::atomic<int> turn;
int x;

void work(int me) {
  const int other = 1 - me;
  while (wants[other]) continue;
  wants[me] = true;
  x++;  // @critical
  wants[me] = false;
}

int main() {
  std::thread a(work, 0), b(work, 1);
  a.join();
  b.join();
  puts("done");
}
