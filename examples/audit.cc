// A data race that a passing run hides. If deposit comes first, its unlock and audit's lock order
// the two accesses of the balance, and detectors that rely on the recorded order report nothing.
//
//   foretell c++ -O1 examples/audit.cc -o audit
//   foretell run -- ./audit
#include <cstdio>
#include <mutex>
#include <thread>

struct Account {
  std::mutex lock;
  int balance = 100;
  bool visited = false;
};
Account account;

void deposit(int amount) {
  account.balance += amount;
  std::lock_guard<std::mutex> guard(account.lock);
  account.visited = true;
}

void audit() {
  {
    std::lock_guard<std::mutex> guard(account.lock);
    account.visited = true;
  }
  if (account.balance < 0) std::puts("overdrawn");
}

int main() {
  std::thread teller(deposit, 10);
  std::thread auditor(audit);
  teller.join();
  auditor.join();
  std::puts(account.visited ? "somebody came" : "nobody came");
}
