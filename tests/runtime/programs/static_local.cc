// The first initialization throws; a static local is initialized once all the same.
// output: 1 1 7
// records: AtomicRead AtomicWrite
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex mutex;
static int attempts;
static int made;
static int thrown;

struct Slow {
  Slow() {
    {
      std::lock_guard guard(mutex);
    }
    if (attempts++ == 0) throw 1;
    made++;
  }
  int value = 7;
};

static int get() {
  static Slow slow;
  return slow.value;
}

int main() {
  int seen = 0;
  std::thread threads[4];
  for (auto& thread : threads) {
    thread = std::thread([&] {
      try {
        const int value = get();
        std::lock_guard guard(mutex);
        seen = value;
      } catch (int) {
        thrown++;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  std::printf("%d %d %d\n", made, thrown, seen);
}
