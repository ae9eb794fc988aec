// Reads and writes the balance under the lock, but gives the lock back in between.
// native: passes nearly always
// expect: atomicity deposit @first-@first-@second confirmed
// output: done
#include <foretell/foretell.h>

#include <cstdio>
#include <mutex>
#include <thread>

std::mutex m;
int balance;

void deposit(int amount) {
  FORETELL_ATOMIC_BLOCK("deposit");
  m.lock();  // @first
  const int seen = balance;
  m.unlock();
  m.lock();  // @second
  balance = seen + amount;
  m.unlock();
}

int main() {
  std::thread one(deposit, 1), other(deposit, 2);
  one.join();
  other.join();
  puts("done");
}
