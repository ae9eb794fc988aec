// The pointer is null for a moment: a crash if the other thread looks just then.
// native: may crash
// expect: race pointer @null-@look confirmed
// expect: race pointer @back-@look confirmed
// output: done
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex m;
int first = 1, second = 1;
int* volatile pointer = &first;

int main() {
  std::thread reader([] {
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
