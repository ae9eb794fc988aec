// Each thread takes the two locks in its own order.
// native: may hang
// run: --strategy=random --quantum=2
// seeds: 40
// expect: deadlock a b confirmed
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex a, b;
int x;

int main() {
  std::thread first([] {
    std::lock_guard outer(a);
    std::lock_guard inner(b);
    x++;
  });
  std::thread second([] {
    std::lock_guard outer(b);
    std::lock_guard inner(a);
    x++;
  });
  first.join();
  second.join();
  printf("%d\n", x);
}
