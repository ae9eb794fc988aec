// The twin of dirty_read.cc: the block has the lock before it writes.
// expect: none
#include <foretell/foretell.h>

#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>

std::atomic<int> level{0};
std::mutex lock;

void update() {
  FORETELL_ATOMIC_BLOCK("update");
  std::lock_guard hold(lock);
  level.store(-1);  // @mark
  level.store(7);   // @value
}

void look() {
  std::lock_guard hold(lock);
  printf("%d\n", level.load() < 0);  // @look
}

int main() {
  std::thread reader(look);
  std::thread writer(update);
  reader.join();
  writer.join();
}
