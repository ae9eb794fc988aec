// The same locks, always in the same order.
// expect: none
// output: done
#include <foretell/foretell.h>

#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>

void both(std::mutex& first, std::mutex& second) {
  std::lock_guard one(first);
  std::lock_guard other(second);
}

int main() {
  auto locks = std::make_unique<std::mutex[]>(2);
  FORETELL_LOCK_NAME(&locks[0], "left");
  FORETELL_LOCK_NAME(&locks[1], "right");
  std::thread up([&] { both(locks[0], locks[1]); });
  std::thread down([&] { both(locks[0], locks[1]); });
  up.join();
  down.join();
  puts("done");
}
