// One passing run in which deposit happens to come first hides the race from happens-before: m was
// unlocked by deposit and then locked by audit. Prediction finds it from any run.
// every seed: 20
// expect: race acc.balance @deposit-@audit confirmed
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
  acc.balance += n;  // @deposit
  std::lock_guard guard(m);
  acc.open = true;
}

void audit() {
  {
    std::lock_guard guard(m);
    acc.open = true;
  }
  if (acc.balance > 10) puts("never");  // @audit
}

int main() {
  std::thread a(deposit, 10), b(audit);
  a.join();
  b.join();
  puts("done");
}
