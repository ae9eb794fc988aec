// A thread that is made before main, by the constructor of a global,
// and asked by main through an atomic.
// expect: none
// output: done
#include <atomic>
#include <cstdio>
#include <thread>

int x;
std::atomic<bool> written;

struct Service {
  std::thread thread{[] {
    x = 1;  // @thread
    written = true;
  }};
  ~Service() { thread.join(); }
} service;

int main() {
  while (!written) continue;
  if (x > 1) puts("never");  // @main
  puts("done");
}
