// Each takes the fork to the left first.
// native: may hang
// run: --strategy=random --quantum=2
// seeds: 40
// expect: deadlock forks forks+40 forks+80 confirmed
#include <algorithm>
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex forks[3];
int meals[3];

void dine(int me) {
  int first = me, second = (me + 1) % 3;
  std::lock_guard one(forks[first]);
  std::lock_guard other(forks[second]);
  meals[me]++;
}

int main() {
  std::thread a(dine, 0), b(dine, 1), c(dine, 2);
  a.join();
  b.join();
  c.join();
  printf("%d\n", meals[0] + meals[1] + meals[2]);
}
