// The barrier that analyses do not see forces the order in which audit comes first, in every run;
// then happens-before sees that the lock does not protect the balance.
// No replay can confirm it: the barrier keeps the two apart.
// expect: race balance @audit-@deposit predicted
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
    m.unlock();
    if (balance > 10) puts("never");  // @audit
    FORETELL_INVISIBLE_BARRIER(1, 2);
  });
  std::thread deposit([] {
    FORETELL_INVISIBLE_BARRIER(1, 2);
    balance = 10;  // @deposit
    std::lock_guard guard(m);
    is_open = true;
  });
  audit.join();
  deposit.join();
  puts("done");
}
