// Each thread has its own shared_ptr to the one object; the last one to go deletes it.
// expect: none
// output: done
#include <cstdio>
#include <memory>
#include <thread>

int main() {
  auto shared = std::make_shared<int>(1);
  std::thread reader([mine = shared]() mutable {
    if (*mine > 2) puts("never");
    mine.reset();
  });
  shared.reset();
  reader.join();
  puts("done");
}
