// std::scoped_lock takes both locks or none: the order in which they are named does not matter.
// expect: none
// output: 2
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex a, b;
int x;

int main() {
  std::thread first([] {
    std::scoped_lock both(a, b);
    x++;
  });
  std::thread second([] {
    std::scoped_lock both(b, a);
    x++;
  });
  first.join();
  second.join();
  printf("%d\n", x);
}
