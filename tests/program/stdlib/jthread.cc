// A jthread joins itself, but only at the end of its scope.
// expect: race result @write-@read confirmed
// output: done
#include <cstdio>
#include <thread>

int result;

int main() {
  {
    std::jthread worker([](std::stop_token stop) {
      while (!stop.stop_requested()) std::this_thread::yield();
      result = 1;  // @write
    });
    worker.request_stop();
    if (result > 1) puts("never");  // @read
  }
  puts("done");
}
