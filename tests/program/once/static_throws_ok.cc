// The initializer of a local static throws the first time; the second try comes after the first.
// expect: none
// output: done
#include <cstdio>
#include <thread>

int attempts;

int make() {
  if (attempts++ == 0) throw 1;  // @count
  return attempts;
}

int get() {
  static int value = make();
  return value;
}

void use() {
  for (;;) {
    try {
      if (get() > 9) puts("never");
      return;
    } catch (int) {
    }
  }
}

int main() {
  std::thread a(use), b(use);
  a.join();
  b.join();
  puts("done");
}
