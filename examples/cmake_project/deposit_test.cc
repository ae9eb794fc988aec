// Two tellers at once; somebody looks at the balance meanwhile.
#include <thread>

#include "bank.h"

int main() {
  Account account(100);
  std::thread first([&] { account.deposit(10); });
  std::thread second([&] { account.deposit(20); });
  const int seen = account.balance();
  first.join();
  second.join();
  return account.balance() == 130 && seen >= 100 ? 0 : 1;
}
