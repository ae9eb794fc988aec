// Two threads append to one vector; the races are in the library, the lines are the caller's.
// expect: race * @append-@append confirmed
// output: done
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

std::vector<int> numbers;
std::mutex m;

void append(int number) {
  numbers.push_back(number);  // @append
}

int main() {
  numbers.reserve(4);
  std::thread a(append, 1), b(append, 2);
  a.join();
  b.join();
  puts("done");
}
