// Ten of them, each with the fork to the left first. The names are some of the ten.
// native: may hang
// run: --strategy=random --quantum=2
// seeds: 40
// expect: deadlock forks forks+40 forks+120 forks+200 forks+280 forks+360 confirmed
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

std::mutex forks[10];
int meals[10];

void dine(int me) {
  int first = me, second = (me + 1) % 10;
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
