// A sequence lock: the reader tries again if the writer was there meanwhile.
// Its data is atomic.
// expect: none
// output: done
#include <atomic>
#include <cstdio>
#include <thread>

std::atomic<int> sequence;
std::atomic<int> data;

int main() {
  std::thread writer([] {
    sequence++;
    data = 1;  // @write
    sequence++;
  });
  int before, seen;
  do {
    before = sequence;
    seen = data;  // @read
  } while (before % 2 == 1 || sequence != before);
  if (seen > 1) puts("never");
  writer.join();
  puts("done");
}
