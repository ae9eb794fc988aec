// What libstdc++ builds on futexes and pthread calls.
// output: 1 2 40 7 10 8 ready timeout
// header controlled: uncontrolled=0
// header controlled: watchdog=0
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <latch>
#include <semaphore>
#include <shared_mutex>
#include <thread>

using namespace std::chrono_literals;

int main() {
  std::atomic<int> flag = 0;
  {
    std::jthread setter([&] {
      flag = 1;
      flag.notify_all();
    });
    flag.wait(0);
    std::printf("%d ", flag.load());
  }
  std::latch latch(2);
  std::atomic<int> arrived = 0;
  {
    std::jthread a([&] { arrived++, latch.count_down(); });
    std::jthread b([&] { arrived++, latch.count_down(); });
    latch.wait();
    std::printf("%d ", arrived.load());
  }
  std::barrier barrier(4);
  std::atomic<int> rounds = 0;
  {
    std::jthread threads[4];
    for (auto& thread : threads) {
      thread = std::jthread([&] {
        for (int i = 0; i < 10; i++) {
          barrier.arrive_and_wait();
          rounds++;
        }
      });
    }
  }
  std::printf("%d ", rounds.load());
  std::promise<int> promise;
  {
    std::jthread setter([&] { promise.set_value(7); });
    std::printf("%d ", promise.get_future().get());
  }
  std::counting_semaphore<> semaphore(0);
  int taken = 0;
  {
    std::jthread poster([&] {
      for (int i = 0; i < 10; i++) semaphore.release();
    });
    for (int i = 0; i < 10; i++) semaphore.acquire(), taken++;
  }
  std::printf("%d ", taken);
  auto async = std::async(std::launch::async, [] { return 8; });
  std::printf("%d ", async.get());
  auto slow = std::async(std::launch::async, [] { std::this_thread::sleep_for(50ms); });
  std::printf("%s ", slow.wait_for(10s) == std::future_status::ready ? "ready" : "timeout");
  std::shared_timed_mutex mutex;
  std::condition_variable_any condition;
  mutex.lock();
  const auto waited = condition.wait_for(mutex, 5ms);
  std::printf("%s\n", waited == std::cv_status::timeout ? "timeout" : "ready");
  mutex.unlock();
}
