// A thread that is made before main, by the constructor of a global,
// and joined by nobody until its destructor.
// expect: race x @thread-@main confirmed
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
  if (x > 1) puts("never");  // @main
  puts("done");
}
