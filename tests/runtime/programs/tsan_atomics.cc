// The runtime does the atomics of such objects itself, and records their values.
// compilers: clang gcc
// compile: -fsanitize=thread -O1 -w
// output: 2000 1 0 5 7 3 15 12 -8 6 1 done
// records: AtomicRead AtomicWrite AtomicRmw Fence
#include <atomic>
#include <cstdio>
#include <thread>

static std::atomic<int> number;
static std::atomic<long> wide;
static std::atomic<signed char> narrow;
static std::atomic<unsigned short> half;
static std::atomic<bool> flag;
static int plain;

int main() {
  std::thread threads[2];
  for (auto& thread : threads) {
    thread = std::thread([] {
      for (int i = 0; i < 1000; i++) number.fetch_add(1, std::memory_order_relaxed);
    });
  }
  for (auto& thread : threads) thread.join();
  std::printf("%d ", number.load());
  int expected = 2000;
  std::printf("%d ", number.compare_exchange_strong(expected, 5));
  expected = 6;
  std::printf("%d ", number.compare_exchange_strong(expected, 7));
  std::printf("%d ", expected);
  wide.store(7, std::memory_order_release);
  std::printf("%ld ", wide.exchange(3));
  std::printf("%ld ", wide.fetch_or(12));
  std::printf("%ld ", wide.fetch_and(12));
  std::printf("%ld ", wide.load(std::memory_order_acquire));
  narrow = -7;
  narrow--;
  std::printf("%d ", narrow.load());
  half = 5;
  half ^= 3;
  std::printf("%d ", half.load());
  std::thread waiter([] {
    while (!flag.load(std::memory_order_relaxed)) {
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    std::printf("%d ", plain);
  });
  plain = 1;
  std::atomic_thread_fence(std::memory_order_release);
  flag.store(true, std::memory_order_relaxed);
  waiter.join();
  std::printf("done\n");
}
