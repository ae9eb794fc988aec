// Each thread has a flag of its own: both initialize.
// expect: race table @make-@make confirmed
// output: done
#include <cstdio>
#include <mutex>
#include <thread>

std::once_flag flags[2];
int table;

void make() {
  table = 1;  // @make
}

void use(int number) {
  std::call_once(flags[number], make);
}

int main() {
  std::thread a(use, 0), b(use, 1);
  a.join();
  b.join();
  puts("done");
}
