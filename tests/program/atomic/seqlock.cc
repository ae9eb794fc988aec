// A sequence lock: the reader tries again if the writer was there meanwhile.
// Its data is plain, so the reader races although it throws away what it read.
// expect: race data @write-@read confirmed
// output: done
#include <atomic>
#include <cstdio>
#include <thread>

std::atomic<int> sequence;
int data;

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
