// Checks and acts in one section.
// run: --atomic=withdraw
// expect: none
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex m;
int balance = 10;

__attribute__((noinline)) bool withdraw(int amount) {
  std::lock_guard guard(m);
  if (balance < amount) return false;
  const int left = balance - amount;
  balance = left;
  return true;
}

int main() {
  std::thread spender([] { withdraw(7); });
  std::thread other([] {
    std::lock_guard guard(m);
    balance = 5;
  });
  spender.join();
  other.join();
  puts("done");
}
