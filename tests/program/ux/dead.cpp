// The locks are taken in two orders, but the first thread is joined before the second starts.
// expect: none
// output: 0
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex from, to;
int amount;

int main() {
  std::thread give([] {
    std::lock_guard outer(from);
    std::lock_guard inner(to);
    amount--;
  });
  give.join();
  std::thread take([] {
    std::lock_guard outer(to);
    std::lock_guard inner(from);
    amount++;
  });
  take.join();
  printf("%d\n", amount);
}
