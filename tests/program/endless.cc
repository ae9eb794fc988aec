// What tests/program/killed kills: races and locks until somebody ends it.
#include <unistd.h>

#include <cstdio>
#include <mutex>
#include <thread>

std::mutex m;
int racy;
long counter;

void work() {
  for (;;) {
    racy++;
    std::lock_guard guard(m);
    counter++;
  }
}

int main() {
  printf("%d\n", getpid());
  fflush(stdout);
  std::thread a(work), b(work);
  a.join();
  b.join();
}
