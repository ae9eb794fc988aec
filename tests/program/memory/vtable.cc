// The base's destructor waits, and by then it has stored its own table: the virtual call may find it.
// expect: race * @store-@call confirmed
#include <atomic>
#include <thread>

struct Base {
  std::atomic<bool> done = false;
  virtual void work() {}
  virtual ~Base() {  // @store
    while (!done.load()) std::this_thread::yield();
  }
};

struct Derived : Base {
  void work() override {}
};

int main() {
  Base* object = new Derived;
  std::thread worker([object] {
    object->work();  // @call
    object->done.store(true);
  });
  delete object;
  worker.join();
}
