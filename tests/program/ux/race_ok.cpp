// The same, fixed: audit reads the balance under the lock, deposit writes it under the lock.
// expect: none
// output: done
#include <cstdio>
#include <mutex>
#include <thread>

struct Account {
  int balance;
  bool open;
} acc;
std::mutex m;

void deposit(int n) {
  std::lock_guard guard(m);
  acc.balance += n;
  acc.open = true;
}

void audit() {
  std::lock_guard guard(m);
  acc.open = true;
  if (acc.balance > 10) puts("never");
}

int main() {
  std::thread a(deposit, 10), b(audit);
  a.join();
  b.join();
  puts("done");
}
