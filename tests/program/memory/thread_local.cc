// A thread gives the address of its thread-local variable away.
// expect: race * @own-@foreign confirmed
// output: done
#include <atomic>
#include <cstdio>
#include <thread>

thread_local int mine;
std::atomic<int*> given;
std::atomic<bool> used;

int main() {
  std::thread worker([] {
    given = &mine;
    mine++;  // @own
    while (!used) continue;
  });
  while (!given) continue;
  *given.load() += 1;  // @foreign
  used = true;
  worker.join();
  puts("done");
}
