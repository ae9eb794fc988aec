// A bank that passes its tests. The audit reads the balance without the lock, but almost never at
// the wrong moment.
//
//   foretell c++ -O1 examples/bank.cc -o bank
//   foretell run -- ./bank
#include <cstdio>
#include <mutex>
#include <thread>

struct Account {
  std::mutex lock;
  int balance = 100;
};
Account account;

void deposit(int amount) {
  std::lock_guard<std::mutex> guard(account.lock);
  account.balance += amount;
}

void audit() {
  std::printf("balance: %d\n", account.balance);
}

int main() {
  std::thread teller(deposit, 10);
  std::thread auditor(audit);
  teller.join();
  auditor.join();
}
