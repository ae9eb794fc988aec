// An atomicity violation without a data race: the balance is checked in one critical section and
// used in the next, and the other customer can come in between.
//
//   foretell c++ -O1 examples/withdraw.cc -o withdraw
//   foretell run -- ./withdraw
#include <foretell/foretell.h>

#include <cstdio>
#include <mutex>
#include <thread>

std::mutex lock;
int balance = 100;

int current() {
  std::lock_guard<std::mutex> guard(lock);
  return balance;
}

void set(int amount) {
  std::lock_guard<std::mutex> guard(lock);
  balance = amount;
}

void withdraw(int amount) {
  FORETELL_ATOMIC_BLOCK("withdraw");
  const int before = current();
  if (before >= amount) set(before - amount);
}

int main() {
  std::thread one(withdraw, 30);
  std::thread other(withdraw, 50);
  one.join();
  other.join();
  std::printf("left: %d\n", balance);
}
