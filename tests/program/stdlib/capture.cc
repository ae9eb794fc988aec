// A lambda that captures a local by reference runs on while its maker uses the local.
// expect: race total @add-@use confirmed
// output: done
#include <cstdio>
#include <thread>

int main() {
  int total = 1;
  std::thread adder([&] { total += 2; });  // @add
  total += 4;                              // @use
  adder.join();
  puts("done");
}
