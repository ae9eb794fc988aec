// std::atomic::wait: who returns from it has seen the change, and the data before it.
// expect: none
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
  data = 1;  // @write
  ready = 1;
  ready.notify_all();
  consumer.join();
  puts("done");
}
