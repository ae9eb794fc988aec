// Each thread takes a lock, but not the same one.
// expect: race x @a-@b confirmed
// output: 2
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex m, n, both;
int x;

int main() {
  std::thread a([] {
    std::lock_guard guard(m);
    x++;  // @a
  });
  std::thread b([] {
    std::lock_guard guard(n);
    x++;  // @b
  });
  a.join();
  b.join();
  printf("%d\n", x);
}
