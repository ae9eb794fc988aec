// One thread takes the lock, the other thinks that a read needs none.
// expect: race balance @write-@read confirmed
// output: done
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex m;
int balance;

void audit() {
  if (balance > 10) puts("never");  // @read
}

void deposit() {
  std::lock_guard guard(m);
  balance = 10;  // @write
}

int main() {
  std::thread a(audit), b(deposit);
  a.join();
  b.join();
  puts("done");
}
