// A condition waited for with a deadline of the steady clock that nobody keeps,
// and a flag read without the lock afterward.
// expect: race late @set-@read confirmed
// output: late
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex m;
std::condition_variable changed;
bool late;
volatile bool seen_early;

int main() {
  std::thread waiter([] {
    std::unique_lock lock(m);
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
    const bool woken = changed.wait_until(lock, until, [] { return false; });
    lock.unlock();
    late = !woken;  // @set
  });
  seen_early = late;  // @read
  waiter.join();
  puts(late ? "late" : "woken");
}
