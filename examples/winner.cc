// A schedule-dependent result: locked and free of data races, but the last thread wins.
//
//   foretell c++ -O1 examples/winner.cc -o winner
//   foretell run -- ./winner
//   foretell replay nondeterminism-1
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex lock;
int result = 0;

void compute(int answer) {
  std::lock_guard<std::mutex> guard(lock);
  result = answer;
}

int main() {
  std::thread first(compute, 7);
  std::thread second(compute, 42);
  first.join();
  second.join();
  std::printf("the result is %d\n", result);
}
