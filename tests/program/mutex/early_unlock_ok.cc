// Check and act stand in one critical section.
// expect: none
// output: done
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex m;
int balance = 100;

void withdraw(int amount) {
  m.lock();
  const int left = balance - amount;  // @read
  if (left >= 0) balance = left;      // @write
  m.unlock();
}

int main() {
  std::thread a(withdraw, 10), b(withdraw, 20);
  a.join();
  b.join();
  puts("done");
}
