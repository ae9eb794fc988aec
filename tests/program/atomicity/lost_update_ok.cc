// Reads and writes the balance in one section.
// expect: none
// output: 3
#include <foretell/foretell.h>

#include <cstdio>
#include <mutex>
#include <thread>

std::mutex m;
int balance;

void deposit(int amount) {
  FORETELL_ATOMIC_BLOCK("deposit");
  m.lock();
  const int seen = balance;
  balance = seen + amount;
  m.unlock();
}

int main() {
  std::thread one(deposit, 1), other(deposit, 2);
  one.join();
  other.join();
  printf("%d\n", balance);
}
