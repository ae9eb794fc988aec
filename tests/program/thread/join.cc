// The result of a thread, read before the thread is joined.
// expect: race result @write-@read confirmed
// output: done
#include <cstdio>
#include <thread>

int result;

int main() {
  std::thread worker([] { result = 42; });  // @write
  if (result > 42) puts("never");           // @read
  worker.join();
  puts("done");
}
