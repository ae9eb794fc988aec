// A static object's destructor and a handler of atexit come after what the thread does, and the
// destructor of a static reads without a lock what the thread writes.
// expect: race total @thread-@destructor confirmed
// output: thread
// output: handler
// output: destructor
#include <cstdio>
#include <cstdlib>
#include <thread>

int total;

struct Report {
  ~Report() {
    if (total > 1) std::puts("never");  // @destructor
    std::puts("destructor");
  }
} report;

int main() {
  std::thread([] {
    std::puts("thread");
    total = 1;  // @thread
  }).detach();
  std::atexit([] { std::puts("handler"); });
}
