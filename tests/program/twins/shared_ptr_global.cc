// A shared pointer is read while it is assigned.
// twin: -DORDERED
// expect: race p confirmed
#include <memory>
#include <mutex>
#include <thread>
std::shared_ptr<int> p = std::make_shared<int>(1);
std::mutex m;
int main() {
  std::thread a([] {
#ifdef ORDERED
    std::lock_guard g(m);
#endif
    p = std::make_shared<int>(2);
  });
  std::shared_ptr<int> q;
  {
#ifdef ORDERED
    std::lock_guard g(m);
#endif
    q = p;
  }
  int r = *q;
  a.join();
  return r > 2;
}
