// The promise is kept after the data is written.
// expect: none
// output: 3
#include <cstdio>
#include <future>
#include <thread>

int data;

int main() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread producer([&] {
    data = 1;  // @write
    promise.set_value(3);
  });
  const int value = future.get();
  if (data > 1) puts("never");  // @read
  producer.join();
  printf("%d\n", value);
}
