// The check stands inside the critical section, the act outside it.
// expect: race balance @read-@write confirmed
// expect: race balance @write-@write confirmed
// output: done
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex m;
int balance = 100;

void withdraw(int amount) {
  m.lock();
  const int left = balance - amount;  // @read
  m.unlock();
  if (left >= 0) balance = left;  // @write
}

int main() {
  std::thread a(withdraw, 10), b(withdraw, 20);
  a.join();
  b.join();
  puts("done");
}
