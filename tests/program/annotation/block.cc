// Atomic blocks, events and thread names are recorded
// and do not synchronize: the race inside the block is one.
// expect: race x @add-@add confirmed
// output: done
#include <foretell/foretell.h>

#include <cstdio>
#include <mutex>
#include <thread>

std::mutex m;
int x;

void add(const char* name) {
  FORETELL_THREAD_NAME(name);
  FORETELL_ATOMIC_BLOCK("add");
  FORETELL_EVENT("add", 1, 2);
  x++;  // @add
}

int main() {
  std::thread a(add, "first"), b(add, "second");
  a.join();
  b.join();
  puts("done");
}
