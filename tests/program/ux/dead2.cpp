// The locks are taken in two orders by two threads that run at once.
// native: may hang
// every seed: 20
// expect: deadlock from to confirmed
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
  std::thread take([] {
    std::lock_guard outer(to);
    std::lock_guard inner(from);
    amount++;
  });
  give.join();
  take.join();
  printf("%d\n", amount);
}
