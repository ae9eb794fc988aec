// A deadlock that almost never happens: two transfers lock two accounts in opposite orders.
//
//   foretell c++ -O1 examples/transfer.cc -o transfer
//   foretell run -- ./transfer
#include <cstdio>
#include <mutex>
#include <thread>

struct Account {
  std::mutex lock;
  int balance = 100;
};
Account savings, checking;

void transfer(Account& from, Account& to, int amount) {
  std::lock_guard<std::mutex> first(from.lock);
  std::lock_guard<std::mutex> second(to.lock);
  from.balance -= amount;
  to.balance += amount;
}

int main() {
  std::thread a([] { transfer(savings, checking, 10); });
  std::thread b([] { transfer(checking, savings, 20); });
  a.join();
  b.join();
  std::printf("%d %d\n", savings.balance, checking.balance);
}
