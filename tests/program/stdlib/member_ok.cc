// The thread is the last member: it starts when all others are made, and is joined first.
// expect: none
// output: done
#include <cstdio>
#include <thread>

struct Worker {
  int limit = 1;
  std::jthread thread{[this] { run(); }};
  void run() {
    if (limit > 1) puts("never");  // @use
  }
};

int main() {
  {
    Worker worker;
  }
  puts("done");
}
