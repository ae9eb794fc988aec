// Each thread takes two locks, of which one is the same.
// expect: none
// output: 2
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex m, n, both;
int x;

int main() {
  std::thread a([] {
    std::lock_guard guard(m);
    std::lock_guard common(both);
    x++;  // @a
  });
  std::thread b([] {
    std::lock_guard guard(n);
    std::lock_guard common(both);
    x++;  // @b
  });
  a.join();
  b.join();
  printf("%d\n", x);
}
