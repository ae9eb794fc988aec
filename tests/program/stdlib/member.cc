// The thread is a member declared before the member it uses: it starts while that is still made.
// expect: race * @init-@use confirmed
// output: done
#include <cstdio>
#include <thread>

struct Worker {
  std::jthread thread{[this] { run(); }};
  int limit = 1;  // @init
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
