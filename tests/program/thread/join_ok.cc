// The result of a thread, read after the thread is joined.
// expect: none
// output: done
#include <cstdio>
#include <thread>

int result;

int main() {
  std::thread worker([] { result = 42; });  // @write
  worker.join();
  if (result > 42) puts("never");  // @read
  puts("done");
}
