// What a thread writes after it created another is unordered with the other.
// expect: race x @first-@second confirmed
// output: 2
#include <cstdio>
#include <thread>

int x;

int main() {
  std::thread inner;
  std::thread outer([&] {
    inner = std::thread([] { x = 2; });  // @second
    x = 1;                               // @first
  });
  outer.join();
  inner.join();
  x = 2;
  printf("%d\n", x);
}
