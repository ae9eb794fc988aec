// The consumer is woken after the data is written: the lock, the flag and the notify order it.
// expect: none
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
  data = 1;  // @write
  {
    std::lock_guard guard(m);
    ready = true;
  }
  changed.notify_one();
  consumer.join();
  puts("done");
}
