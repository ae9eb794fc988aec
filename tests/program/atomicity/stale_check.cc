// Checks in one section and acts in another: what was checked may have changed.
// run: --atomic=withdraw
// expect: atomicity withdraw @check-@set-@take confirmed
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex m;
int balance = 10;

__attribute__((noinline)) bool withdraw(int amount) {
  {
    std::lock_guard guard(m);
    if (balance < amount) return false;  // @check
  }
  std::lock_guard guard(m);
  const int left = balance - amount;  // @take
  balance = left;
  return true;
}

int main() {
  std::thread spender([] { withdraw(7); });
  std::thread other([] {
    std::lock_guard guard(m);
    balance = 5;  // @set
  });
  spender.join();
  other.join();
  puts("done");
}
