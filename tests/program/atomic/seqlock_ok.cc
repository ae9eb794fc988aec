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
  std::thread reader([] {
    int before, seen;
    do {
      before = sequence;
      seen = data;  // @read
    } while (before % 2 == 1 || sequence != before);
    if (seen > 1) puts("never");
  });
  sequence++;
  data = 1;  // @write
  sequence++;
  reader.join();
  puts("done");
}
