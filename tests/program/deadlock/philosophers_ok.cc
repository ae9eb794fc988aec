// Each takes the lower fork first.
// expect: none
// output: 3
#include <algorithm>
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex forks[3];
int meals[3];

void dine(int me) {
  int first = me, second = (me + 1) % 3;
  if (first > second) std::swap(first, second);
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
