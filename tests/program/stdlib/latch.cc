// The latch is counted down before the work is done.
// expect: race part @write-@read confirmed
// output: done
#include <cstdio>
#include <latch>
#include <thread>

std::latch finished(2);
int part, other;

int main() {
  std::thread a([] {
    finished.count_down();
    part = 1;  // @write
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
