// What the block writes first is a mark for itself; who looks before it has the lock sees it.
// expect: atomicity update @mark-@look-@value confirmed
#include <foretell/foretell.h>

#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>

std::atomic<int> level{0};
std::mutex lock;

void update() {
  FORETELL_ATOMIC_BLOCK("update");
  level.store(-1);  // @mark
  std::lock_guard hold(lock);
  level.store(7);  // @value
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
