// The barrier that analyses do not see forces the order in which audit comes first, in every run;
// but here the lock protects the balance.
// expect: none
// output: done
#include <foretell/foretell.h>

#include <cstdio>
#include <mutex>
#include <thread>

std::mutex m;
int balance;
bool is_open;

int main() {
  std::thread audit([] {
    m.lock();
    is_open = true;
    if (balance > 10) puts("never");  // @audit
    m.unlock();
    FORETELL_INVISIBLE_BARRIER(1, 2);
  });
  std::thread deposit([] {
    FORETELL_INVISIBLE_BARRIER(1, 2);
    std::lock_guard guard(m);
    balance = 10;
    is_open = true;
  });
  audit.join();
  deposit.join();
  puts("done");
}
