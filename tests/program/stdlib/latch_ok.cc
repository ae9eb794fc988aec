// The latch is counted down after the work is done.
// expect: none
// output: done
#include <cstdio>
#include <latch>
#include <thread>

std::latch finished(2);
int part, other;

int main() {
  std::thread a([] {
    part = 1;  // @write
    finished.count_down();
  });
  std::thread b([] {
    other = 1;
    finished.count_down();
  });
  finished.wait();
  if (part + other > 2) puts("never");  // @read
  a.join();
  b.join();
  puts("done");
}
