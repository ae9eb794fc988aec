// One read-modify-write.
// expect: none
#include <foretell/foretell.h>

#include <atomic>
#include <cstdio>
#include <thread>

std::atomic<int> ticket;

void next() {
  FORETELL_ATOMIC_BLOCK("next");
  ticket.fetch_add(1);
}

int main() {
  std::thread one(next), other([] { ticket.store(0); });
  one.join();
  other.join();
  puts("done");
}
