// Both use the variable through atomic_ref while they share it; before and after, plainly.
// expect: none
// output: done
#include <atomic>
#include <cstdio>
#include <thread>

int x;

int main() {
  x = 1;
  std::thread adder([] { std::atomic_ref(x).fetch_add(1); });  // @atomic
  if (std::atomic_ref(x).load() > 2) puts("never");
  adder.join();
  x = 2;
  puts("done");
}
