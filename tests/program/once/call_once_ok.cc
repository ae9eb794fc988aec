// std::call_once with an initializer that throws the first time: only the second counts.
// expect: none
// output: done
#include <cstdio>
#include <mutex>
#include <thread>

std::once_flag flags[2];
int attempts;
int table;

void make() {
  if (attempts++ == 0) throw attempts;
  table = 1;  // @make
}

void use(int number) {
  for (bool made = false; !made;) {
    try {
      std::call_once(flags[0 * number], make);
      made = true;
    } catch (int) {
    }
  }
}

int main() {
  std::thread a(use, 0), b(use, 1);
  a.join();
  b.join();
  puts("done");
}
