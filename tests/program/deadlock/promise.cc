// Waits for a promise that nobody keeps.
// native: hangs
// expect: deadlock * @wait confirmed
// output: broken
#include <cstdio>
#include <future>
#include <memory>
#include <thread>

int main() {
  auto promise = std::make_unique<std::promise<void>>();
  auto future = promise->get_future();
  puts("broken");
  fflush(stdout);
  std::thread waiter([&] {
    try {
      future.get();  // @wait
    } catch (const std::future_error&) {
      puts("broken");
    }
  });
  waiter.join();
}
