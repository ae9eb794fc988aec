// Atomic blocks, events and thread names are recorded
// and raise no alarm.
// expect: none
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
  std::lock_guard guard(m);
  FORETELL_EVENT("add", 1, 2);
  x++;  // @add
}

int main() {
  std::thread a(add, "first"), b(add, "second");
  a.join();
  b.join();
  puts("done");
}
