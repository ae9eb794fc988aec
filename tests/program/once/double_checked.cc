// Double-checked locking with a plain pointer.
// expect: race instance @set-@test confirmed
// output: done
#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>

struct Thing {
  int value;
};
std::mutex m;
Thing* instance;
Thing storage;

Thing* get() {
  Thing* it = instance;  // @test
  if (it) return it;
  std::lock_guard guard(m);
  it = instance;
  if (!it) {
    it = &storage;
    it->value = 1;
    instance = it;  // @set
  }
  return it;
}

void use() {
  if (get()->value > 1) puts("never");
}

int main() {
  std::thread a(use), b(use);
  a.join();
  b.join();
  puts("done");
}
