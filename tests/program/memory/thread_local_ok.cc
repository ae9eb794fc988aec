// Each thread has its own, though the name is the same.
// expect: none
// output: done
#include <atomic>
#include <cstdio>
#include <thread>

thread_local int mine;

int main() {
  std::thread worker([] {
    mine++;  // @own
  });
  mine++;
  worker.join();
  puts("done");
}
