// The first two routines throw; the exception passes through the runtime and the next one tries.
// output: 2 1
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <thread>

int main() {
  std::once_flag flag;
  std::mutex mutex;
  int thrown = 0;
  int done = 0;
  int attempts = 0;
  auto run = [&] {
    try {
      std::call_once(flag, [&] {
        {
          std::lock_guard guard(mutex);
        }
        if (attempts++ < 2) throw std::runtime_error("not yet");
        done++;
      });
    } catch (const std::runtime_error&) {
      std::lock_guard guard(mutex);
      thrown++;
    }
  };
  std::thread threads[4];
  for (auto& thread : threads) thread = std::thread(run);
  for (auto& thread : threads) thread.join();
  std::printf("%d %d\n", thrown, done);
}
