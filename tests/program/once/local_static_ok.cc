// The compiler guards the initialization of a local static,
// and a lock guards what is done to it afterward.
// expect: none
// output: done
#include <cstdio>
#include <mutex>
#include <thread>

struct Counter {
  int value;
  explicit Counter(int start) : value(start) {}
};
std::mutex m;

Counter& shared(int start) {
  static Counter counter(start);
  return counter;
}

void use() {
  Counter& counter = shared(1);
  std::lock_guard guard(m);
  counter.value++;  // @count
}

int main() {
  std::thread a(use), b(use);
  a.join();
  b.join();
  puts("done");
}
