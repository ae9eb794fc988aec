// The compiler guards the initialization of a local static,
// but nobody guards what is done to it afterward.
// expect: race shared::counter.value @count-@count confirmed
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
  counter.value++;  // @count
}

int main() {
  std::thread a(use), b(use);
  a.join();
  b.join();
  puts("done");
}
