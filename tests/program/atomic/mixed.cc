// One thread uses the variable through atomic_ref, the other plainly.
// expect: race x @atomic-@plain confirmed
// output: done
#include <atomic>
#include <cstdio>
#include <thread>

int x;

int main() {
  x = 1;
  std::thread adder([] { std::atomic_ref(x).fetch_add(1); });  // @atomic
  if (x > 2) puts("never");                                    // @plain
  adder.join();
  x = 2;
  puts("done");
}
