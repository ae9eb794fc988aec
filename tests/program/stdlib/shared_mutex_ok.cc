// The writer holds the shared mutex exclusively.
// expect: none
// output: done
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>

std::shared_mutex m;
int value;

int main() {
  std::thread reader([] {
    std::shared_lock lock(m);
    if (value > 1) puts("never");  // @read
  });
  std::thread writer([] {
    std::unique_lock lock(m);
    value = 1;  // @write
  });
  reader.join();
  writer.join();
  puts("done");
}
