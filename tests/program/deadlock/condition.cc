// Waits for the condition with a second lock in hand, which the notifier needs.
// native: may hang
// run: --strategy=random --quantum=2
// seeds: 40
// expect: deadlock outer changed confirmed
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex outer, inner;
std::condition_variable changed;
bool ready;

int main() {
  std::thread waiter([] {
    std::unique_lock first(outer);
    std::unique_lock second(inner);
    while (!ready) changed.wait(second);
  });
  {
    std::lock_guard first(outer);
    std::lock_guard second(inner);
    ready = true;
  }
  changed.notify_one();
  waiter.join();
  puts("done");
}
