// One thread counts down before it has written.
// twin: -DORDERED
// expect: race * confirmed
#include <latch>
#include <thread>
#include <vector>
int part[2];
int main() {
  std::latch l(2);
  std::thread a([&] {
#ifdef ORDERED
    part[0] = 1;
#endif
    l.count_down();
#ifndef ORDERED
    part[0] = 1;
#endif
  }),
      b([&] {
        part[1] = 1;
        l.count_down();
      });
  l.wait();
  int s = part[0] + part[1];
  a.join();
  b.join();
  return s > 4;
}
