// The destructor waits for the thread that makes a virtual call. The table of its class, which it
// stores first, is the one that the object has: no race.
// expect: none
#include <atomic>
#include <thread>

struct Base {
  std::atomic<bool> done = false;
  virtual void work() = 0;
  virtual ~Base() = default;
};

struct Derived : Base {
  int result = 0;
  void work() override { result = 1; }
  ~Derived() override {
    while (!done.load()) std::this_thread::yield();
  }
};

int main() {
  Base* object = new Derived;
  std::thread worker([object] {
    object->work();
    object->done.store(true);
  });
  delete object;
  worker.join();
}
