// The completion of a std::barrier runs between the two phases.
// One thread reads what it made without having arrived.
// expect: race sum @complete-@read confirmed
// output: done
#include <barrier>
#include <cstdio>
#include <thread>

int part[2], sum;

void add() noexcept {
  sum = part[0] + part[1];  // @complete
}
std::barrier barrier(2, add);

void work(int me) {
  part[me] = 1;
  if (me == 0) {
    (void)barrier.arrive();
  } else {
    barrier.arrive_and_wait();
  }
  if (sum > 2) puts("never");  // @read
}

int main() {
  std::thread a(work, 0), b(work, 1);
  a.join();
  b.join();
  puts("done");
}
