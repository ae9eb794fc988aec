// Both sleep for an hour, which under the controlled scheduler takes no time.
// expect: none
// native: takes an hour
// output: an hour
#include <chrono>
#include <cstdio>
#include <thread>

using namespace std::chrono_literals;
int x;

int main() {
  const auto start = std::chrono::steady_clock::now();
  std::thread a([] {
    std::this_thread::sleep_for(1h);
    x++;  // @a
  });
  a.join();
  std::thread b([] {
    std::this_thread::sleep_for(1h);
    x++;  // @b
  });
  b.join();
  puts(std::chrono::steady_clock::now() - start >= 1h ? "an hour" : "less");
}
