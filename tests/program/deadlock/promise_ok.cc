// The promise is dropped, which its future is told.
// expect: none
// output: broken
#include <cstdio>
#include <future>
#include <memory>
#include <thread>

int main() {
  auto promise = std::make_unique<std::promise<void>>();
  auto future = promise->get_future();
  std::thread waiter([&] {
    try {
      future.get();  // @wait
    } catch (const std::future_error&) {
      puts("broken");
    }
  });
  promise.reset();
  waiter.join();
}
