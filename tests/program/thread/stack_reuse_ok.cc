// libc gives the stack of a thread that was joined to the next one, here by a creator that knows
// nothing of the join. The two threads' variables are at one address and are not the same.
// expect: none
// output: done
#include <chrono>
#include <cstdio>
#include <thread>

__attribute__((noinline)) void touch(volatile int* p) {
  *p = *p + 1;
}

void work() {
  volatile int numbers[4] = {};
  for (volatile int& number : numbers) touch(&number);
}

int main() {
  std::thread other([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::thread late(work);
    late.join();
  });
  std::thread early(work);
  early.join();
  other.join();
  puts("done");
}
