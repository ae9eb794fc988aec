// A lambda that captures a local by value has a copy.
// expect: none
// output: done
#include <cstdio>
#include <thread>

int main() {
  int total = 1;
  std::thread adder([total]() mutable { total += 2; });
  total += 4;  // @use
  adder.join();
  puts("done");
}
