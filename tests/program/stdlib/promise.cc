// The promise is kept before the data is written.
// expect: race data @write-@read confirmed
// output: 3
#include <cstdio>
#include <future>
#include <thread>

int data;

int main() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread producer([&] {
    promise.set_value(3);
    data = 1;  // @write
  });
  const int value = future.get();
  if (data > 1) puts("never");  // @read
  producer.join();
  printf("%d\n", value);
}
