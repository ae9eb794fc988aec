// The nodes of a list are linked in code of libstdc++ that is not instrumented: what it writes is
// recorded all the same.
// expect: race * @push-@empty confirmed
#include <list>
#include <mutex>
#include <thread>

std::list<int> items{1};
std::mutex m;

int main() {
  std::thread pusher([] {
    std::lock_guard guard(m);
    items.push_front(2);  // @push
  });
  bool none = items.empty();  // @empty
  pusher.join();
  return none;
}
