// The count inside a shared_ptr is atomic, the shared_ptr itself is not.
// expect: race * @assign-@copy confirmed
// output: done
#include <cstdio>
#include <memory>
#include <thread>

int main() {
  auto shared = std::make_shared<int>(1);
  std::thread reader([&] {
    auto mine = shared;  // @copy
    if (*mine > 2) puts("never");
  });
  auto other = std::make_shared<int>(2);
  shared.swap(other);  // @assign
  reader.join();
  puts("done");
}
