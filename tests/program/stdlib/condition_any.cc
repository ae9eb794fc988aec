// A condition_variable_any with a lock of another type, and a wait that a stop ends.
// The data is written after the stop.
// expect: race data @write-@read confirmed
// output: stopped
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>

std::shared_mutex m;
std::condition_variable_any changed;
int data;

int main() {
  std::jthread worker([](std::stop_token stop) {
    std::shared_lock lock(m);
    changed.wait(lock, stop, [] { return false; });
    if (data > 1) puts("never");  // @read
    puts("stopped");
  });
  worker.request_stop();
  data = 1;  // @write
}
