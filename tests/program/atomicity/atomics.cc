// A load and a store of an atomic are not one step: no race, but the reset is lost.
// expect: atomicity next @load-@reset-@store confirmed
#include <foretell/foretell.h>

#include <atomic>
#include <cstdio>
#include <thread>

std::atomic<int> ticket;

void next() {
  FORETELL_ATOMIC_BLOCK("next");
  const int mine = ticket.load();  // @load
  ticket.store(mine + 1);          // @store
}

int main() {
  std::thread one(next), other([] { ticket.store(0); });  // @reset
  one.join();
  other.join();
  puts("done");
}
