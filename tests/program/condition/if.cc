// `if` where `while` is needed: both consumers are woken for one item.
// native: may crash
// run: --strategy=random --quantum=2
// seeds: 40
// expect: crash 6
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

std::mutex m;
std::condition_variable changed;
int items;

void consume() {
  std::unique_lock lock(m);
  if (items == 0) changed.wait(lock);
  if (items == 0) abort();
  items--;
}

void produce() {
  std::lock_guard guard(m);
  items++;
  changed.notify_all();
}

int main() {
  std::thread a(consume), b(consume), c(produce), d(produce);
  a.join();
  b.join();
  c.join();
  d.join();
  puts("done");
}
