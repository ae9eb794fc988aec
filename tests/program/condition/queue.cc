// A bounded queue of one place.
// The producer looks without the lock whether the place is free.
// run: --strategy=random --quantum=2
// seeds: 40
// expect: race full @look-@take confirmed
// output: 6
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex m;
std::condition_variable changed;
bool full;
volatile bool looked;
int place, sum;

void produce() {
  for (int i = 1; i <= 3; i++) {
    looked = full;  // @look
    std::unique_lock lock(m);
    changed.wait(lock, [] { return !full; });
    place = i;
    full = true;
    changed.notify_one();
  }
}

void consume() {
  for (int i = 1; i <= 3; i++) {
    std::unique_lock lock(m);
    changed.wait(lock, [] { return full; });
    sum += place;
    full = false;  // @take
    changed.notify_one();
  }
}

int main() {
  std::thread a(consume), b(produce);
  a.join();
  b.join();
  printf("%d\n", sum);
}
