// A plain counter.
// expect: race counter @count-@count confirmed
// output: 20
#include <atomic>
#include <cstdio>
#include <thread>

int counter;

void work() {
  for (int i = 0; i < 10; i++) counter++;  // @count
}

int main() {
  std::thread a(work), b(work);
  a.join();
  b.join();
  counter = 20;
  printf("%d\n", counter);
}
