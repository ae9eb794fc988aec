// Two threads append to one vector under a lock.
// expect: none
// output: done
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

std::vector<int> numbers;
std::mutex m;

void append(int number) {
  std::lock_guard guard(m);
  numbers.push_back(number);  // @append
}

int main() {
  numbers.reserve(4);
  std::thread a(append, 1), b(append, 2);
  a.join();
  b.join();
  puts("done");
}
