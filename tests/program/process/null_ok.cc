// The pointer is null for a moment, under the lock.
// expect: none
// output: done
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex m;
int first = 1, second = 1;
int* volatile pointer = &first;

int main() {
  std::thread reader([] {
    std::lock_guard guard(m);
    if (*pointer > 1) puts("never");  // @look
  });
  {
    std::lock_guard guard(m);
    pointer = nullptr;  // @null
    pointer = &second;  // @back
  }
  reader.join();
  puts("done");
}
