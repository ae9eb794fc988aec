// What a thread writes before it creates another happens before everything the other does, over
// two generations; the parent need not be joined first.
// expect: none
// output: 2
#include <cstdio>
#include <thread>

int x;

int main() {
  std::thread inner;
  std::thread outer([&] {
    x = 1;
    inner = std::thread([] { x = 2; });  // @second
  });
  outer.join();
  inner.join();
  printf("%d\n", x);
}
