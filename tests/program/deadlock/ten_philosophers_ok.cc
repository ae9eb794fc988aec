// The twin of ten_philosophers.cc: each takes the lower fork first.
// expect: none
#include <algorithm>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

std::mutex forks[10];
int meals[10];

void dine(int me) {
  int first = std::min(me, (me + 1) % 10), second = std::max(me, (me + 1) % 10);
  std::lock_guard one(forks[first]);
  std::lock_guard other(forks[second]);
  meals[me]++;
}

int main() {
  std::vector<std::thread> table;
  for (int i = 0; i < 10; ++i) table.emplace_back(dine, i);
  for (std::thread& one : table) one.join();
  int sum = 0;
  for (int meal : meals) sum += meal;
  printf("%d\n", sum);
}
