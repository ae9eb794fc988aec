// Peterson's algorithm: mutual exclusion from three atomics and spinning.
// expect: none
// output: done
#include <atomic>
#include <cstdio>
#include <thread>

std::atomic<bool> wants[2];
std::atomic<int> turn;
int x;

void work(int me) {
  const int other = 1 - me;
  wants[me] = true;
  turn = other;
  while (wants[other] && turn == other) continue;
  x++;  // @critical
  wants[me] = false;
}

int main() {
  std::thread a(work, 0), b(work, 1);
  a.join();
  b.join();
  puts("done");
}
