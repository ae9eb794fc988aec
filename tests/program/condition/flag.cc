// The consumer is woken before the data is written.
// expect: race data @write-@read confirmed
// output: done
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex m;
std::condition_variable changed;
bool ready;
int data;

int main() {
  std::thread consumer([] {
    std::unique_lock lock(m);
    while (!ready) changed.wait(lock);
    lock.unlock();
    if (data > 1) puts("never");  // @read
  });
  {
    std::lock_guard guard(m);
    ready = true;
  }
  changed.notify_one();
  data = 1;  // @write
  consumer.join();
  puts("done");
}
