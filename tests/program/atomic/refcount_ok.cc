// The last owner deletes the object; the decrements order all uses before it.
// expect: none
// output: done
#include <atomic>
#include <cstdio>
#include <thread>

struct Object {
  std::atomic<int> owners{2};
  int uses[2] = {};
};
constexpr auto order = std::memory_order_acq_rel;

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
