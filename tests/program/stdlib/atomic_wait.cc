// The atomic is changed and its waiter notified before the data is written.
// expect: race data @write-@read confirmed
// output: done
#include <atomic>
#include <cstdio>
#include <thread>

std::atomic<int> ready;
int data;

int main() {
  std::thread consumer([] {
    ready.wait(0);
    if (data > 1) puts("never");  // @read
  });
  ready = 1;
  ready.notify_all();
  data = 1;  // @write
  consumer.join();
  puts("done");
}
