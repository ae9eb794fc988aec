// The object is deleted while a thread calls its virtual function.
// expect: memory * @use-@delete confirmed
// output: done
#include <cstdio>
#include <thread>

struct Base {
  std::thread thread;
  int value = 1;
  virtual int limit() { return 1; }
  virtual ~Base() { value = 0; }  // @delete
};

void use(Base* base) {
  if (base->value > 1) puts("never");  // @use
}

int main() {
  auto* base = new Base;
  std::thread user(use, base);
  delete base;
  user.join();
  puts("done");
}
