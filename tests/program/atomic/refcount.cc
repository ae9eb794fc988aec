// The last owner deletes the object, but a relaxed decrement does not order the uses before it.
// expect: memory * @use-@free unordered
// expect: memory * @free-@free unordered
// output: done
#include <atomic>
#include <cstdio>
#include <thread>

struct Object {
  std::atomic<int> owners{2};
  int uses[2] = {};
};
constexpr auto order = std::memory_order_relaxed;

void work(Object* object, int me) {
  object->uses[me]++;                                          // @use
  if (object->owners.fetch_sub(1, order) == 1) delete object;  // @free
}

int main() {
  auto* object = new Object;
  std::thread a(work, object, 0), b(work, object, 1);
  a.join();
  b.join();
  puts("done");
}
