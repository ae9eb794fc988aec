// A jthread joins itself at the end of its scope: the read after it is ordered.
// expect: none
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
  }
  if (result > 1) puts("never");
  puts("done");
}
