// The lock ends with the block, before the exception is handled.
// twin: -DORDERED
// expect: race n confirmed
#include <mutex>
#include <stdexcept>
#include <thread>
std::mutex m;
int n;
void work(bool bad) {
  try {
#ifndef ORDERED
    {
      std::lock_guard g(m);
      if (bad) throw std::runtime_error("x");
    }
    n++;
#else
    std::lock_guard g(m);
    n++;
    if (bad) throw std::runtime_error("x");
#endif
  } catch (const std::exception&) {
#ifndef ORDERED
    n--;
#else
    std::lock_guard g(m);
    n--;
#endif
  }
}
int main() {
  std::thread a(work, true), b(work, false);
  a.join();
  b.join();
  return n > 2;
}
