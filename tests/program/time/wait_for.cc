// future::wait_for times out until the promise is kept.
// The data comes after it.
// expect: race data @write-@read confirmed
// output: done
#include <chrono>
#include <cstdio>
#include <future>
#include <thread>

int data;

int main() {
  std::promise<void> promise;
  auto future = promise.get_future();
  std::thread producer([&] {
    promise.set_value();
    data = 1;  // @write
  });
  while (future.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) continue;
  if (data > 1) puts("never");  // @read
  producer.join();
  puts("done");
}
