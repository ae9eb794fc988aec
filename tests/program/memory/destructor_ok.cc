// The object's destructor joins the thread that uses it.
// expect: none
// output: done
#include <cstdio>
#include <thread>

struct Base {
  std::thread thread;
  int value = 1;
  virtual int limit() { return 1; }
  virtual ~Base() {
    thread.join();
    value = 0;
  }
};

void use(Base* base) {
  if (base->value > 1) puts("never");  // @use
}

int main() {
  auto* base = new Base;
  base->thread = std::thread(use, base);
  delete base;
  puts("done");
}
